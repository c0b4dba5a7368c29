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

/// Times of earlier runs by several ranks, in the file of RunTimes, for later forecasts: values
/// that a short measurement cannot show. Tests: tests/core/machine/rank_times_test.cpp
class RankTimes {
  public:
    /// file: see KeptValues. ranks: ranksKind()
    RankTimes(std::filesystem::path file, std::string ranks);

    /// Seconds in which no stage was at work, besides planning: files are opened and created, ranks
    /// wait for each other and finish.
    [[nodiscard]] std::optional<double> besideSeconds() const;
    void keepBeside(double seconds) const noexcept;
    /// The ratio of the time from the first stage's begin to the last one's end to that of the
    /// forecast for such a grid: ranks share caches, memory and cores, and wait for each other.
    [[nodiscard]] std::optional<double> workFactor(const RankGrid& grid) const;
    void keepWorkFactor(const RankGrid& grid, double factor) const noexcept;
    /// Bytes that a rank received a second in that stage, gather or reduce.
    [[nodiscard]] std::optional<double> exchangeBytes(Stage stage) const;
    void keepExchange(Stage stage, double bytesPerSecond) const noexcept;

  private:
    KeptValues m_kept;
    std::string m_ranks;
};

/// Describes, in words, what ranks exchange and how; equal for comparable runs. hosts: of each rank
[[nodiscard]] std::string ranksKind(const std::vector<std::string>& hosts, const JobPlan& first);

/// Bytes that a rank received a second in a stage, gather or reduce, of a run by a grid. The ranks
/// that come first to an exchange wait for the last, so the shortest time of each exchange counts;
/// nothing where there was too little to measure. spans: of all ranks, of this run only
[[nodiscard]] std::optional<double> exchangeRateOf(std::span<const TimelineSpan> spans, Stage stage,
                                                   const RankGrid& grid);

/// Seconds from the begin of the first span to the end of the last.
[[nodiscard]] double workSecondsOf(std::span<const TimelineSpan> spans);

/// The ratio of the forecast with the rates that the run has reached (storing, exchanging,
/// back-projecting on devices) to the forecast as it was, for the rank of this plan: the next
/// forecast will use those rates.
/// spans: of all ranks, of this run only
[[nodiscard]] double forecastByReached(const PlanInputs& inputs, const JobPlan& plan,
                                       std::span<const TimelineSpan> spans);

/// Keeps, for the next forecast for such ranks, the time of a run by several ranks beside planning
/// and its stages, how much longer the stages took together than forecast, and the exchange rates.
/// inputs, run: of the first rank
/// forecastSeconds: of the stages of the slowest rank; 0: not predicted
/// spans: of all ranks, of this run only
void keepRankTimes(const PlanInputs& inputs, const PlannedRun& run,
                   const std::vector<std::string>& hosts, double forecastSeconds,
                   std::span<const TimelineSpan> spans, double wallSeconds,
                   const Backends& backends);

}  // namespace gantry
