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

/// The facts about this machine that planning needs before it measures: its memory as it is now.
[[nodiscard]] Machine machineOf(const Backends& backends);

/// Answers questions by measuring, each in a fraction of a second: tries kernels on pieces of the
/// job, loads, prepares and filters the scan's first views, copies to and from devices, and writes
/// a small file to the output's folder (and removes it), where it has room for that. Files in the
/// system's cache load faster than from a cold disk. Only this and reconstruct() touch devices;
/// that a device cannot be used is an answer too.
/// @throws InputError, ResourceError as the stages do; Cancelled
/// Tests: tests/core/machine/measure_test.cpp
[[nodiscard]] Facts measure(const std::vector<Question>& questions, const OpenScan& scan,
                            const ReconstructionRequest& request, const Backends& backends,
                            const std::stop_token& stop);

/// Measures until no question about a job is left: see questions().
/// known: gets the answers added
/// part: of one of several ranks that make an iterative method's volume; else null
/// @throws as measure() and planJob()
/// Tests: tests/core/machine/measure_test.cpp,
/// tests/core/work/device_forecast_test.cpp
void learn(Facts& known, const OpenScan& scan, const ReconstructionRequest& request,
           const SinkNeeds& sink, const Machine& machine, const Backends& backends, Purpose purpose,
           const std::optional<FinishedSlabs>& finished, const std::stop_token& stop,
           const GridPart* part = nullptr);

/// A plan, its forecast, and the facts that were measured for it.
struct PlannedRun {
    JobPlan plan;
    Forecast forecast;
    Facts facts;
    double planSeconds = 0;  ///< time of several ranks to measure and plan; of the first rank
};

/// Measures what a reconstruction on this machine needs to know, and plans it. @throws as learn()
[[nodiscard]] PlannedRun learnAndPlan(const OpenScan& scan, const ReconstructionRequest& request,
                                      const Backends& backends, const SinkNeeds& sink = {},
                                      Purpose purpose = Purpose::run,
                                      const std::optional<FinishedSlabs>& finished = {},
                                      const std::stop_token& stop = {},
                                      const GridPart* part = nullptr);

/// The plan of one of several ranks from facts that are known; measures nothing.
/// @throws as planJob()
[[nodiscard]] PlannedRun planPart(const OpenScan& scan, const ReconstructionRequest& request,
                                  const Backends& backends, const SinkNeeds& sink,
                                  const GridPart& part, const FinishedSlabs& finished,
                                  const Facts& facts);

/// Keeps how fast the devices' kernels were in a run and how fast its volume was stored, so that
/// the next forecast of such a job relies on more than short trials. Runs too short to be reliable
/// are ignored. spans: of this run only Tests: tests/core/work/device_forecast_test.cpp,
/// tests/core/machine/storage_speeds_test.cpp
void keepSpeeds(const PlannedRun& run, const OpenScan& scan, const ReconstructionRequest& request,
                const SinkNeeds& sink, std::span<const TimelineSpan> spans,
                const Backends& backends);

/// Keeps for the next forecast how long a whole run on devices, in one process, took beyond a
/// forecast with the rates that it reached, and how fast its views were loaded and prepared by the
/// CPU. Tests: tests/core/machine/run_times_test.cpp
void keepRunTimes(const PlannedRun& run, const OpenScan& scan, const ReconstructionRequest& request,
                  const SinkNeeds& sink, std::span<const TimelineSpan> spans, double wallSeconds,
                  const Backends& backends);

}  // namespace gantry
