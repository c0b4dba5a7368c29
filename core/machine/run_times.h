#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/kept_values.h"
#include "core/pipeline/timeline.h"
#include "core/plan/job_plan.h"
#include "core/plan/performance_model.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// What runs on this machine took, in a file, for later forecasts: what no short measurement tells.
/// Tests: tests/core/machine/run_times_test.cpp
class RunTimes {
  public:
    /// file: see KeptValues
    explicit RunTimes(std::filesystem::path file);

    /// Seconds that runs on these devices take beside what a forecast counts: of the last three the
    /// one in the middle, of two the shorter.
    [[nodiscard]] std::optional<double> besideSeconds(
        const std::vector<std::string>& devices) const;
    void keepBeside(const std::vector<std::string>& devices, double seconds) const noexcept;
    /// Pixels that the last run of this kind prepared a second on the CPU. kind: prepareKind()
    [[nodiscard]] std::optional<double> preparePixels(const std::string& kind) const;
    void keepPrepared(const std::string& kind, double pixelsPerSecond) const noexcept;
    /// Stored bytes that the last run of this kind loaded a second. kind: loadKind()
    [[nodiscard]] std::optional<double> loadBytes(const std::string& kind) const;
    void keepLoaded(const std::string& kind, double bytesPerSecond) const noexcept;
    /// Pixels that the last run of this kind corrected a second. kind: correctKind()
    [[nodiscard]] std::optional<double> correctPixels(const std::string& kind) const;
    void keepCorrected(const std::string& kind, double pixelsPerSecond) const noexcept;

  private:
    KeptValues m_kept;
};

/// What the CPU does to how many pixels at a time, in words. question: hostQuestion()
[[nodiscard]] std::string prepareKind(const Acquisition& acquisition, const Question& question);

/// What is corrected of views of which size, by how many threads, in words.
/// question: hostQuestion()
[[nodiscard]] std::string correctKind(const Acquisition& acquisition, const Question& question);

/// What is loaded from which disk by how many threads, in words; a short scan may be with the
/// system already. question: hostQuestion()
[[nodiscard]] std::string loadKind(const OpenScan& scan, const Question& question);

/// What a run's stages really did a second, all devices alike; 0 of stages that it did not have.
/// spans: of this run alone, in one process
[[nodiscard]] MachineRates reachedRates(const PlanInputs& inputs, const JobPlan& plan,
                                        std::span<const TimelineSpan> spans);

}  // namespace gantry
