#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/cli/as_rank.h"
#include "app/cli/launch_ranks.h"
#include "app/cli/reconstruction_options.h"
#include "app/cli/run_job.h"
#include "app/commands/commands.h"
#include "core/base/throw_error.h"
#include "core/cluster/local_ranks.h"
#include "core/cluster/mpi/mpi_communicator.h"
#include "core/job/event_log.h"
#include "core/job/job_directory.h"
#include "core/job/job_lock.h"
#include "core/remote/job/remote_job.h"
#include "core/work/run_log.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

struct WorkerOptions {
    fs::path job;
    std::vector<fs::path> after;
    RunOptions run;
    std::optional<int> ranks;
    bool json = false;
};

fs::path plainPath(const fs::path& path) {
    return fs::absolute(path).lexically_normal();
}

// This worker holds its job while it waits, so that later ones wait for it in turn.
void waitForTurn(const JobDirectory& job, const std::vector<fs::path>& others,
                 const std::stop_token& stop) {
    if (others.empty()) return;
    for (const fs::path& other : others)
        if (std::error_code ignored; fs::equivalent(job.folder(), other, ignored))
            throwError<InputError>("--after names the job itself, {}. Name another one.",
                                   other.string());
    EventLog events(job.file("events.jsonl"));
    events.state(JobState::queued);
    try {
        waitForJobs(others, stop);
    } catch (const Cancelled&) {
        events.state(JobState::cancelled);
        throw;
    }
}

std::vector<fs::path> othersOf(const WorkerOptions& options) {
    std::vector<fs::path> others;
    std::ranges::transform(options.after, std::back_inserter(others), plainPath);
    return others;
}

// The options override the number of ranks that the job has.
int ranksOf(const WorkerOptions& options, const JobSpec& spec) {
    if (options.ranks) {
        checkRanks(*options.ranks);
        return *options.ranks;
    }
    if (const std::string whyNot = whyNoLocalRanks(); spec.ranks > 1 && !whyNot.empty())
        throw InputError(
            fmt::format("{}: ranks is {}. {}", options.job.string(), spec.ranks, whyNot),
            {.advice = "Add --ranks 1 to run the job as one process."});
    return spec.ranks;
}

// Both would make the same volume without knowing of each other.
void refuseJobOfHost(const fs::path& folder) {
    if (const std::optional<RemoteJob> job = readRemoteJob(folder))
        throwError<InputError>(
            "{} is a job of the host {}: it {}. To have this machine go on with it: gantry resume "
            "{} --here",
            folder.string(), job->host, job->message, job->id);
}

// The first of them keeps the reason in the job's log.
void refuseRanksApart(const fs::path& folder, int ranks) {
    const std::string why = whyRanksAreApart(ranks);
    if (why.empty()) return;
    const InputError error(why);
    const char* const number = std::getenv("SLURM_PROCID");
    if (number && std::string_view(number) == "0") {
        const JobDirectory job = JobDirectory::open(folder);
        EventLog events(job.file("events.jsonl"));
        logEnd(events, JobState::failed, &error);
    }
    throw error;
}

int work(const WorkerOptions& options, Session& session) {
    const fs::path folder = plainPath(options.job);
    refuseJobOfHost(folder);
    refuseRanksApart(folder, 1);
    std::optional<JobDirectory> job = JobDirectory::open(folder);
    job->useSpec(withRunOptions(job->spec(), options.run));
    waitForTurn(*job, othersOf(options), session.stop());
    const int ranks = ranksOf(options, job->spec());
    if (ranks == 1) return runAndPrint(*job, session, options.json);
    job.reset();  // released for rank 0 to open
    std::vector<std::string> words = options.run.words;
    words.insert(words.begin(), {"worker", folder.string()});
    if (options.json) words.emplace_back("--json");
    return runRanks(ranks, words, session.stop());
}

int workAsRank(const WorkerOptions& options, Session& session, JobRanks& ranks) {
    std::optional<JobDirectory> job;
    ranks.work(
        [&](const std::stop_token& stop) {
            const fs::path folder = plainPath(options.job);
            refuseRanksApart(folder, ranks.count());
            if (ranks.isFirst()) {
                job = JobDirectory::open(folder);
                waitForTurn(*job, othersOf(options), stop);
            }
            ranks.waitForAll();
            if (!ranks.isFirst()) job = JobDirectory::join(folder);
            job->useSpec(withRunOptions(job->spec(), options.run));
        },
        session.stop());
    return runAndPrint(*job, session, options.json, ranks);
}

}  // namespace

void addWorker(Command program) {
    auto options = std::make_shared<WorkerOptions>();
    Command command =
        program.command("worker", "Run the job of a folder, or resume one that was interrupted");
    command.required("job", options->job, "JOBDIR", "The job's folder: it holds job.json");
    command.repeated("--after", options->after, "JOBDIR",
                     "First wait until this other job has ended");
    addRunOptions(command, options->run);
    command.option("--ranks", options->ranks, "N",
                   "Processes (MPI ranks) on this machine this time; by default as the job says");
    command.flag("--json", options->json, "Print one JSON document");
    command.examples(
        "  gantry worker volume.mha.job\n"
        "  gantry worker volume.mha.job --engine cpu --memory 16G\n"
        "  gantry worker second.mha.job --after first.mha.job\n"
        "  mpirun -n 4 gantry worker volume.mha.job");
    command.action([options](Session& session) {
        if (!isStartedByMpi()) return work(*options, session);
        return runAsRank(session,
                         [&](JobRanks& ranks) { return workAsRank(*options, session, ranks); });
    });
}

}  // namespace gantry
