#pragma once

#include <string>

#include "core/engine/acquisition.h"
#include "core/engine/backends.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// Along which rows a job's views are filtered: as it asks. Where it leaves that open, their own
/// where the CPU back-projects or where they have a pose each; those of an upright detector where
/// GPUs do, whose fastest kernels take no others. machine: of rank 0
/// @throws InputError as runsOnDevices()
/// Tests: tests/core/plan/filter_rows_test.cpp
[[nodiscard]] FilterRows filterRowsOf(const JobSpec& job, const Machine& machine);

/// What that means for views that are not of an upright detector, in sentences for plans and
/// reports; empty for others.
[[nodiscard]] std::string rowsNote(const Acquisition& acquisition, EngineKind engine);

}  // namespace gantry
