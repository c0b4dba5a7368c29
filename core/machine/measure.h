#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "core/engine/backends.h"
#include "core/plan/facts.h"
#include "core/plan/performance_model.h"
#include "core/plan/questions.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// What planning knows of this machine without measuring: its memory as it is now.
[[nodiscard]] Machine machineOf(const Backends& backends);

/// Measures what the questions ask, each in a fraction of a second: tries kernels on pieces of the
/// job, loads, prepares and filters the scan's first views, copies to and from devices, and writes
/// a small file where the output goes (and removes it). Files that the system holds in memory load
/// faster than from a cold disk. This and reconstruct() alone touch devices; a device that cannot
/// be used is an answer, too.
/// @throws InputError, ResourceError as the stages do; Cancelled
/// Tests: tests/core/machine/measure_test.cpp
[[nodiscard]] Facts measure(const std::vector<Question>& questions, const OpenScan& scan,
                            const ReconstructionRequest& request, const Backends& backends,
                            const std::stop_token& stop);

/// Measures until nothing is left to ask for a job: see questions().
/// known: is completed
/// @throws as measure() and planJob()
/// Tests: tests/core/machine/measure_test.cpp,
/// tests/core/work/device_forecast_test.cpp
void learn(Facts& known, const OpenScan& scan, const ReconstructionRequest& request,
           const SinkNeeds& sink, const Machine& machine, const Backends& backends, Purpose purpose,
           const std::optional<FinishedSlabs>& finished, const std::stop_token& stop);

/// A plan with what it is expected to take, and what was learned for it.
struct PlannedRun {
    JobPlan plan;
    Forecast forecast;
    Facts facts;
    double planSeconds = 0;  ///< that several ranks took to measure and to plan; of the first
};

/// Learns of this machine what a reconstruction needs, and plans it.
/// @throws as learn()
[[nodiscard]] PlannedRun learnAndPlan(const OpenScan& scan, const ReconstructionRequest& request,
                                      const Backends& backends, const SinkNeeds& sink = {},
                                      Purpose purpose = Purpose::run,
                                      const std::optional<FinishedSlabs>& finished = {},
                                      const std::stop_token& stop = {});

/// The plan of one of several ranks, by what was learned before: nothing is measured.
/// @throws as planJob()
[[nodiscard]] PlannedRun planPart(const OpenScan& scan, const ReconstructionRequest& request,
                                  const Backends& backends, const SinkNeeds& sink,
                                  const GridPart& part, const FinishedSlabs& finished,
                                  const Facts& facts);

/// Keeps how fast the devices' kernels were in a run and how fast its volume was stored, so that
/// the next forecast of such a job knows more than short trials. Runs too short to tell are left
/// out. spans: of this run alone
/// Tests: tests/core/work/device_forecast_test.cpp, tests/core/machine/storage_speeds_test.cpp
void keepSpeeds(const PlannedRun& run, const OpenScan& scan, const ReconstructionRequest& request,
                const SinkNeeds& sink, std::span<const TimelineSpan> spans,
                const Backends& backends);

/// Keeps what a whole run on devices, in one process, took beside what its forecast would count by
/// the rates that it reached, and how fast its views were loaded and the CPU prepared them: for the
/// next forecast.
/// Tests: tests/core/machine/run_times_test.cpp
void keepRunTimes(const PlannedRun& run, const OpenScan& scan, const ReconstructionRequest& request,
                  const SinkNeeds& sink, std::span<const TimelineSpan> spans, double wallSeconds,
                  const Backends& backends);

}  // namespace gantry
