#pragma once

#include <string>

#include "core/engine/acquisition.h"
#include "core/engine/backends.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// The rows along which a job's views are filtered: those that it asks for. Where it leaves that
/// open: the views' own rows if the CPU back-projects or if each view has its own pose, otherwise
/// those of an upright detector, because the GPUs' fastest kernels take no others. A rolled
/// detector's own rows give the right levels only where opposite views share all rays evenly, in a
/// full circle about the detector's middle; other scans have upright rows on any engine.
/// machine: of rank 0
/// @throws InputError as runsOnDevices()
/// Tests: tests/core/plan/filter_rows_test.cpp
[[nodiscard]] FilterRows filterRowsOf(const JobSpec& job, const Machine& machine);

/// Explains in sentences, for plans and reports, what that means for views of a detector that is
/// not upright; empty for others.
[[nodiscard]] std::string rowsNote(const Acquisition& acquisition, EngineKind engine);

}  // namespace gantry
