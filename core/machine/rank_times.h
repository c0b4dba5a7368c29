#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/kept_values.h"
#include "core/machine/measure.h"
#include "core/pipeline/timeline.h"
#include "core/plan/job_plan.h"

namespace gantry {

/// What earlier runs by several ranks took, in the file of RunTimes, for later forecasts: what no
/// short measurement tells.
/// Tests: tests/core/machine/rank_times_test.cpp
class RankTimes {
  public:
    /// file: see KeptValues. ranks: ranksKind()
    RankTimes(std::filesystem::path file, std::string ranks);

    /// Seconds in which no stage was at work, planning apart: files are opened and made, ranks wait
    /// for each other and come to an end.
    [[nodiscard]] std::optional<double> besideSeconds() const;
    void keepBeside(double seconds) const noexcept;
    /// How much longer stages were at work, the first to the last, than a forecast counts for such
    /// a grid: they share caches, memory and cores, and wait for each other.
    [[nodiscard]] std::optional<double> workFactor(const RankGrid& grid) const;
    void keepWorkFactor(const RankGrid& grid, double factor) const noexcept;
    /// Bytes that a rank took a second in that stage, gather or reduce.
    [[nodiscard]] std::optional<double> exchangeBytes(Stage stage) const;
    void keepExchange(Stage stage, double bytesPerSecond) const noexcept;

  private:
    KeptValues m_kept;
    std::string m_ranks;
};

/// Ranks alike in what they exchange and how, in words. hosts: of each rank
[[nodiscard]] std::string ranksKind(const std::vector<std::string>& hosts, const JobPlan& first);

/// What a rank has taken a second in a stage, gather or reduce, of a run by a grid. Those who come
/// first to an exchange wait for the last, so that of each the shortest time is counted; nothing
/// where that was too little to tell.
/// spans: of all ranks, of this run alone
[[nodiscard]] std::optional<double> exchangeRateOf(std::span<const TimelineSpan> spans, Stage stage,
                                                   const RankGrid& grid);

/// Seconds from the beginning of the first span to the end of the last.
[[nodiscard]] double workSecondsOf(std::span<const TimelineSpan> spans);

/// How much longer the stages of the rank of this plan are predicted to take by what the run has
/// reached, as the next forecast goes by that: how fast it stored, exchanged and back-projected on
/// devices.
/// spans: of all ranks, of this run alone
[[nodiscard]] double forecastByReached(const PlanInputs& inputs, const JobPlan& plan,
                                       std::span<const TimelineSpan> spans);

/// Keeps what a run by several ranks took beside planning and its stages, how much longer these
/// took together than forecast, and how fast it exchanged, for the next forecast of such ranks.
/// inputs, run: of the first rank. forecastSeconds: of the stages of the slowest rank; 0: not
/// predicted
/// spans: of all ranks, of this run alone
void keepRankTimes(const PlanInputs& inputs, const PlannedRun& run,
                   const std::vector<std::string>& hosts, double forecastSeconds,
                   std::span<const TimelineSpan> spans, double wallSeconds,
                   const Backends& backends);

}  // namespace gantry
