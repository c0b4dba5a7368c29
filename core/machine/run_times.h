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

/// Times of earlier runs on this machine, in a file, for later forecasts: values that a short
/// measurement cannot show.
/// Tests: tests/core/machine/run_times_test.cpp
class RunTimes {
  public:
    /// file: see KeptValues
    explicit RunTimes(std::filesystem::path file);

    /// Seconds that runs on these devices take beyond their forecast: the median of the last three,
    /// the shorter of two.
    [[nodiscard]] std::optional<double> besideSeconds(
        const std::vector<std::string>& devices) const;
    void keepBeside(const std::vector<std::string>& devices, double seconds) const noexcept;
    /// Stored bytes (load) or pixels (prepare, correct) that this stage of the CPU handled in a
    /// second of the last run of this kind. kind: loadKind(), prepareKind() or correctKind()
    [[nodiscard]] std::optional<double> rateOf(Stage stage, const std::string& kind) const;
    void keepRate(Stage stage, const std::string& kind, double perSecond) const noexcept;

  private:
    KeptValues m_kept;
};

/// Describes in words what the CPU does to how many pixels at a time. question: hostQuestion()
[[nodiscard]] std::string prepareKind(const Acquisition& acquisition, const Question& question);

/// Describes in words the corrections, the size of views and the number of threads. question:
/// hostQuestion()
[[nodiscard]] std::string correctKind(const Acquisition& acquisition, const Question& question);

/// Describes in words what is loaded from which disk by how many threads; a short scan may be in
/// the system's cache. question: hostQuestion()
[[nodiscard]] std::string loadKind(const OpenScan& scan, const Question& question);

/// The rates that a run's stages really reached, averaged over devices; 0 for stages that it did
/// not have. spans: of this run only, in one process
[[nodiscard]] MachineRates reachedRates(const PlanInputs& inputs, const JobPlan& plan,
                                        std::span<const TimelineSpan> spans);

}  // namespace gantry
