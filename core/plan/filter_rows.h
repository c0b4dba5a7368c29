#pragma once

#include <string>
#include <vector>

#include "core/engine/acquisition.h"
#include "core/engine/backends.h"
#include "core/plan/job_plan.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// The rows of a job, and why.
struct RowsChoice {
    FilterRows rows = FilterRows::own;
    std::string reason;  ///< a sentence; empty where there was nothing to choose
};

/// The rows along which a job's views are filtered: those that it asks for. Where it leaves that
/// open: the views' own rows if the CPU back-projects or if each view has its own pose, otherwise
/// those of an upright detector, because the GPUs' fastest kernels take no others. A rolled
/// detector's own rows give the right levels only where opposite views share all rays evenly, in a
/// full circle about the detector's middle; other scans have upright rows on any engine.
/// machine: of rank 0
/// @throws InputError as runsOnDevices()
/// Tests: tests/core/plan/filter_rows_test.cpp
[[nodiscard]] FilterRows filterRowsOf(const JobSpec& job, const Machine& machine);
/// The same with the reason.
[[nodiscard]] RowsChoice usualRows(const JobSpec& job, const Machine& machine);

/// Whether forecasts may choose other rows than filterRowsOf(): the job leaves them open, and GPUs
/// back-project views of a leaning detector whose own rows are as exact as upright ones.
[[nodiscard]] bool areRowsOpen(const JobSpec& job, const Machine& machine);

/// Whether resampling takes so short a time that trials of both kinds of rows would take as long:
/// upright ones are taken then. upright: the job with these. @throws as planJob()
[[nodiscard]] bool isResamplingShort(const PlanInputs& upright);

/// What has to be measured to choose between two kinds of rows: the GPUs' kernels, and how fast
/// views are prepared and resampled. inputs: with either kind; both have to be asked for.
[[nodiscard]] std::vector<Question> rowsQuestions(const PlanInputs& inputs);

/// The rows with which the run is predicted to be clearly shorter; upright ones where that is not
/// known. Both inputs are of the same job and facts. @throws as planJob()
/// Tests: tests/core/plan/filter_rows_test.cpp
[[nodiscard]] RowsChoice fasterRows(const PlanInputs& upright, const PlanInputs& own);

/// Explains in sentences, for plans and reports, what that means for views of a detector that is
/// not upright; empty for others.
[[nodiscard]] std::string rowsNote(const Acquisition& acquisition, EngineKind engine);

}  // namespace gantry
