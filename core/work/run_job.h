#pragma once

#include <functional>
#include <stop_token>

#include "core/engine/backends.h"
#include "core/job/job_directory.h"
#include "core/pipeline/progress.h"
#include "core/plan/questions.h"
#include "core/report/job_result.h"
#include "core/work/job_ranks.h"

namespace gantry {

/// What a run needs from its caller.
struct RunContext {
    const Backends& backends;
    std::stop_token stop;
    std::function<void(const Progress&)> onProgress;  ///< a few times a second, any thread
    /// forecast: first measures the machine for a second or two, so that the report can show the
    /// forecast of every stage beside its time.
    Purpose purpose = Purpose::run;
};

/// Runs a job in this process: opens its scan, plans, reconstructs (core/recon/reconstruct.h), and
/// keeps the job's folder. A job that was interrupted resumes from its finished slabs.
///
/// Leaves the volume under its final name, a record beside it, and events, preview and report in
/// the job's folder; after a failure the output is unchanged.
/// @throws InputError, ResourceError, Cancelled; the event log then ends with that state
/// Tests: tests/core/work/reconstruct_test.cpp
JobResult runJob(const JobDirectory& job, const RunContext& context);

/// The same on several ranks, all of which call it. job: opened on rank 0, joined on the others.
/// The result is rank 0's. What ends one rank ends all, and is thrown on all; rank 0 logs it.
/// Tests: tests/cli/test_ranks.py
JobResult runJob(const JobDirectory& job, const RunContext& context, JobRanks& ranks);

}  // namespace gantry
