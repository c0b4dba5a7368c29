#include "core/work/run_job.h"

#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/job/event_log.h"
#include "core/report/report.h"
#include "core/work/job_run.h"
#include "core/work/run_log.h"

namespace gantry {

namespace {

// Runs a rank above 0: its log lies beside the job's, and rank 0 reports how the run ends.
JobResult runAsRank(const JobDirectory& job, const RunContext& context, JobRanks& ranks) {
    EventLog events(rankEvents(job.file("events.jsonl"), ranks.rank()), ranks.sharedOrigin(0));
    logClock(events, ranks.clockNow());
    JobResult result = JobRun(job, context, ranks, events, {}).run();
    logClock(events, ranks.clockNow());
    return result;
}

JobResult runAsFirst(const JobDirectory& job, const RunContext& context, JobRanks& ranks,
                     EventLog& events, JobEvents before) {
    (void)ranks.sharedOrigin(events.originNs());
    if (!ranks.isAlone()) events.ranks(ranks.hosts());
    return JobRun(job, context, ranks, events, std::move(before)).run();
}

}  // namespace

JobResult runJob(const JobDirectory& job, const RunContext& context) {
    JobRanks alone;
    return runJob(job, context, alone);
}

JobResult runJob(const JobDirectory& job, const RunContext& context, JobRanks& ranks) {
    JobResult result;
    if (!ranks.isFirst()) {
        ranks.work(
            [&](const std::stop_token& stop) {
                result = runAsRank(job, {context.backends, stop, {}, context.purpose}, ranks);
            },
            context.stop);
        return result;
    }
    const std::filesystem::path log = job.file("events.jsonl");
    JobEvents before = pathExists(log) ? readEvents(log) : JobEvents();
    EventLog events(log, before);
    const double beginCpu = processCpuSeconds();
    try {
        events.state(JobState::running);
        logBegin(events, before);
        ranks.work(
            [&](const std::stop_token& stop) {
                result =
                    runAsFirst(job, {context.backends, stop, context.onProgress, context.purpose},
                               ranks, events, std::move(before));
            },
            context.stop);
        logEndOfWork(events, "Finished in");
        takeTimes(result, job.spec(), events);
        result.cpuSeconds = processCpuSeconds() - beginCpu;
        tryAfterTheEnd(events, "The report was not written", [&] { writeReport(job, result); });
        logFigures(events, result);
        logEnd(events, JobState::done);
        return result;
    } catch (const Cancelled&) {
        logEndOfWork(events, "Cancelled after");
        logEnd(events, JobState::cancelled);
        throw;
    } catch (const std::exception& error) {
        logEndOfWork(events, "Failed after");
        logEnd(events, JobState::failed, &error);
        throw;
    }
}

}  // namespace gantry
