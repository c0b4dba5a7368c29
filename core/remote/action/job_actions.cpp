#include "core/remote/action/job_actions.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/base/throw_error.h"
#include "core/base/wait.h"
#include "core/base/written_place.h"
#include "core/job/job_directory.h"
#include "core/job/job_file.h"
#include "core/job/job_status.h"
#include "core/remote/scheduler/batch_script.h"
#include "core/remote/transfer/sent_files.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr const char* kEditedScript = "edited.sh";  // of the user, in the job's folder

JobHost hostOf(const RemoteJob& job) {
    return JobHost(findHost(job.host));
}

void pollUntilRead(JobHost& host, std::span<RemoteJob> jobs, const std::stop_token& stop) {
    for (int i = 0; i < kMaxPollsInARow && host.poll(jobs, stop); ++i) {
    }
}

// Adapts the fetched checkpoint to the files here.
void takeOver(const RemoteJob& job) {
    const fs::path checkpoint = job.folder / "checkpoint.json";
    if (!pathExists(checkpoint)) return;
    if (job.way == DataWay::sent && !job.data.empty()) {
        const std::string state = filesOf(readJobRequest(job.folder).scan).state;
        if (!job.data.ends_with("scan-" + state))
            throwError<InputError>(
                "The scan's files have changed since they were sent to {}. Start the job anew.",
                job.host);
    }
    // The host knows the same files by other names; checksums showed that they are equal.
    nlohmann::ordered_json document = ownOrderedJson(readTextFile(checkpoint));
    document["inputs"] = "";
    writeFileAtomically(checkpoint, jsonText(document) + "\n");
}

RemoteJob newJob(const fs::path& folder, const HostOrder& order) {
    RemoteJob job;
    job.folder = folder;
    job.id = newJobId();
    job.host = order.host;
    job.way = order.way;
    job.bring = order.wishes.bring;
    job.nodes = order.resources.nodes;
    job.ranks = order.resources.ranks();
    job.minutes = order.resources.minutes;
    job.isOfDesktop = order.isOfDesktop;
    job.message = "its files are being sent";
    return job;
}

// Held from the creation of a job to its start.
File lockFolder(const fs::path& folder) {
    if (!isFolder(folder)) makeFolder(folder);
    File lock(folder, File::Mode::folder);
    if (!lock.tryLock())
        throwError<InputError>(
            "Another process is just starting the job {}. Wait for that, or choose another --out.",
            folder.string());
    return lock;
}

void removeIfEmpty(const fs::path& folder) {
    std::error_code ignored;
    fs::remove(folder, ignored);
}

std::string scriptOf(const RemoteJob& job, const HostOrder& order) {
    const std::string& edited = order.wishes.script;
    return edited.empty() ? batchScript(findHost(order.host), order.resources, job.id) : edited;
}

void keepEdited(const fs::path& folder, const HostOrder& order) {
    const std::string& edited = order.wishes.script;
    if (edited.empty()) return removeFile(folder / kEditedScript);
    writeFileAtomically(folder / kEditedScript, edited);
}

// The host's file may have been corrected since the script was made.
void renewScript(HandOver& over, const Host& host) {
    if (pathExists(over.job.folder / kEditedScript)) return;
    const JobResources resources = resourcesFor(host, over.spec, over.job.nodes, over.job.minutes);
    over.script = batchScript(host, resources, over.job.id);
}

// Puts jobs on their host, unless they are there; several are a new array. keep: called before the
// host may have them. mayBeThere: whether it is not known if the host has them, also after an
// exception
void put(JobHost& host, std::span<HandOver> overs, bool& mayBeThere, const HostProgress& progress,
         const std::function<void()>& keep, const std::stop_token& stop) {
    RemoteJob& first = overs.front().job;
    mayBeThere = first.isLost();
    if (first.number.empty()) {
        // What is sent must not come into the folder of a job that runs.
        if (!first.place.empty() && host.find(first, stop)) return;
        mayBeThere = false;
        // If the host is not reached at all, it is not waited for.
        host.prepare(overs, stop);
        for (HandOver& each : overs)
            host.stage(each, progress, stop);
    }
    keep();
    mayBeThere = true;
    throughBreaks(progress, stop, [&] { host.submit(overs, stop); });
}

// A job that is to be resumed has ended, or its host never had it.
void requireResumable(JobHost& host, RemoteJob& job, const std::stop_token& stop) {
    if (job.isLost() || job.state == RemoteState::waiting || job.state == RemoteState::running)
        pollUntilRead(host, std::span(&job, 1), stop);
    if (job.state == RemoteState::waiting || job.state == RemoteState::running)
        throwError<InputError>("The job {} {}. Cancel it first: gantry cancel {}", job.id,
                               job.message, job.id);
    if (job.state == RemoteState::done)
        throwError<InputError>("The job {} is done. Its volume comes by: gantry fetch {}", job.id,
                               job.id);
}

void prepareStart(JobHost& host, HandOver& over, const std::stop_token& stop) {
    RemoteJob& job = over.job;
    if (!job.isLost()) requireResumable(host, job, stop);
    if (job.state == RemoteState::gone) job.number.clear();
    if (job.number.empty() && job.state != RemoteState::preparing) renewScript(over, host.host());
    job.state = RemoteState::preparing;
}

void keepBeforeStart(const HandOver& over) {
    const RemoteJob& job = over.job;
    const std::optional<RemoteJob> now = readRemoteJob(job.folder);
    const bool isCancelled = now && now->state == RemoteState::cancelled;
    if (isCancelled && job.number.empty()) throw Cancelled();  // by another program
    writeFileAtomically(job.folder / RemoteJob::kScript, over.script);
    keepRemoteJob(job);
}

// An InputError is the host's refusal. Otherwise it may be unknown whether the host has the job,
// which then stays lost: see JobHost::find().
void keepFailure(RemoteJob& job, bool mayBeThere) {
    RemoteState state = mayBeThere ? RemoteState::preparing : RemoteState::failed;
    try {
        throw;
    } catch (const Cancelled&) {
        if (!mayBeThere) state = RemoteState::cancelled;
        job.message = "was cancelled before the host had it";
    } catch (const InputError& error) {
        state = RemoteState::failed;
        job.message = error.message();
    } catch (const std::exception& error) {
        job.message = messageOf(error);
    }
    job.state = state;
    try {
        keepRemoteJob(job);
    } catch (const Error&) {
        // Its folder is gone or full; the reason is reported all the same.
    }
}

// Fetches what an ended job has finished.
void bringCheckpoint(JobHost& host, RemoteJob& job, const HostProgress& progress,
                     const std::stop_token& stop) {
    if (job.state == RemoteState::gone || job.number.empty()) return;
    pollUntilRead(host, std::span(&job, 1), stop);
    host.fetchRecords(std::span(&job, 1), true, progress, stop);
    host.fetchVolume(job, progress, stop);
    job.isFetched = false;
    takeOver(job);
}

DataWay usualWay(const Host& host, const ScanFile& scan) {
    if (host.isHere()) return DataWay::there;
    return mappedPath(host, scan.path) ? DataWay::mapped : DataWay::sent;
}

// @returns the host's job that was in the folder, if any
std::optional<RemoteJob> requireNoActiveJob(const fs::path& folder, const std::stop_token& stop) {
    if (!readRemoteJob(folder)) return std::nullopt;
    RemoteJob job = readJob(folder, stop);
    if (job.isLost() && hostOf(job).find(job, stop)) keepRemoteJob(job);
    if (job.state == RemoteState::waiting || job.state == RemoteState::running)
        throwError<InputError>(
            "{} is a job that {} {}. Cancel it first (gantry cancel {}), or choose "
            "another --out.",
            folder.string(), job.host, job.state == RemoteState::waiting ? "will run" : "runs",
            job.id);
    return job;
}

}  // namespace

HostOrder orderFor(const std::string& host, std::span<const NewJob> jobs,
                   const HostWishes& wishes) {
    const Host at = findHost(host);
    HostOrder order = {host, wishes};
    JobResources& all = order.resources;
    all.nodes = 0;
    for (const NewJob& job : jobs) {
        const JobResources own = resourcesFor(at, job.spec, wishes.nodes, wishes.minutes);
        if (own.nodes > all.nodes) all.reason = own.reason;
        all.nodes = std::max(all.nodes, own.nodes);
        all.ranksPerNode = own.ranksPerNode;
        all.minutes = std::max(all.minutes, own.minutes);
        all.cpusPerRank = std::max(all.cpusPerRank, own.cpusPerRank);
        all.memoryBytes = std::max(all.memoryBytes, own.memoryBytes);
    }
    order.way = wishes.way.value_or(usualWay(at, jobs.front().spec.scan));
    for (const NewJob& job : jobs)
        if (wishes.way.value_or(usualWay(at, job.spec.scan)) != order.way)
            order.way = DataWay::sent;
    return order;
}

RemoteJob readJob(const fs::path& folder, const std::stop_token& stop) {
    std::optional<RemoteJob> job = readRemoteJob(folder);
    if (!job) throwError<InputError>("{} is no job of a host any more.", folder.string());
    std::optional<RemoteJob> next = readNextJob(folder);
    if (!next) return *job;
    if (!hostOf(*next).find(*next, stop)) {
        forgetNextJob(folder);
        return *job;
    }
    takeNextJob(*job, *next);
    return *next;
}

JobDirectory createJobHere(const NewJob& job, const std::stop_token& stop) {
    const std::optional<RemoteJob> former = requireNoActiveJob(job.folder, stop);
    JobDirectory created = JobDirectory::create(job.folder, job.spec);
    if (former) forgetRemoteJob(*former);
    return created;
}

std::vector<File> createJobs(std::span<const NewJob> jobs, const HostOrder& order,
                             const std::stop_token& stop) {
    const std::string array = jobs.size() > 1 ? newJobId() : std::string();
    std::vector<File> locks;
    std::vector<RemoteJob> created;
    try {
        for (const auto& [folder, spec] : jobs) {
            // throws before anything is created
            if (order.way == DataWay::mapped) (void)asMapped(spec, findHost(order.host));
            locks.push_back(lockFolder(folder));
            (void)requireNoActiveJob(folder, stop);
        }
        for (const auto& [folder, spec] : jobs) {
            (void)JobDirectory::create(folder, spec);
            RemoteJob job = newJob(folder, order);
            job.array = array;
            if (!array.empty()) job.id = fmt::format("{}-{}", array, created.size() + 1);
            keepEdited(folder, order);
            writeFileAtomically(folder / RemoteJob::kScript, scriptOf(job, order));
            keepRemoteJob(job);
            created.push_back(std::move(job));
        }
    } catch (...) {
        for (const RemoteJob& job : created)
            forgetRemoteJob(job);
        for (const File& lock : locks)
            removeIfEmpty(lock.path());
        throw;
    }
    return locks;
}

std::vector<RemoteJob> startJobs(std::span<const fs::path> folders, const HostProgress& progress,
                                 const std::stop_token& stop) {
    std::vector<HandOver> overs;
    for (const fs::path& folder : folders)
        overs.push_back({readJob(folder, stop), readJobRequest(folder),
                         readTextFile(folder / RemoteJob::kScript)});
    JobHost host = hostOf(overs.front().job);
    for (HandOver& each : overs)
        prepareStart(host, each, stop);
    const auto keep = [&] { std::ranges::for_each(overs, keepBeforeStart); };
    bool mayBeThere = false;
    try {
        for (const HandOver& each : overs)
            keepRemoteJob(each.job);
        put(host, overs, mayBeThere, progress, keep, stop);
    } catch (...) {
        for (HandOver& each : overs)
            if (each.job.state == RemoteState::preparing)
                keepFailure(each.job, mayBeThere);
            else
                keepRemoteJob(each.job);
        throw;
    }
    std::vector<RemoteJob> started;
    for (HandOver& each : overs) {
        keepRemoteJob(each.job);
        started.push_back(std::move(each.job));
    }
    return started;
}

RemoteJob moveJob(const fs::path& folder, const HostOrder& order, const HostProgress& progress,
                  const std::stop_token& stop) {
    RemoteJob former = readJob(folder, stop);
    JobHost from = hostOf(former);
    requireResumable(from, former, stop);
    HandOver over = {newJob(folder, order), readJobRequest(folder)};
    over.script = scriptOf(over.job, order);
    JobHost to = hostOf(over.job);
    bringCheckpoint(from, former, progress, stop);
    bool mayBeThere = false;
    try {
        put(
            to, std::span(&over, 1), mayBeThere, progress, [&] { keepNextJob(over.job); }, stop);
    } catch (const InputError&) {
        forgetNextJob(folder);  // it refused; otherwise readJob() asks it again
        throw;
    }
    keepEdited(folder, order);
    writeFileAtomically(folder / RemoteJob::kScript, over.script);
    takeNextJob(former, over.job);
    return over.job;
}

void takeJob(const fs::path& folder, const HostProgress& progress, const std::stop_token& stop) {
    RemoteJob job = readJob(folder, stop);
    JobHost host = hostOf(job);
    requireResumable(host, job, stop);
    bringCheckpoint(host, job, progress, stop);
    forgetRemoteJob(job);
}

void pollJobs(const std::string& host, std::span<RemoteJob> jobs, const std::stop_token& stop) {
    JobHost at(findHost(host));
    pollUntilRead(at, jobs, stop);
}

RemoteJob followJob(const fs::path& folder, const HostProgress& progress, const JobHandler& news,
                    const std::stop_token& stop) {
    RemoteJob job = readJob(folder, stop);
    JobHost host = hostOf(job);
    constexpr std::chrono::milliseconds kBetween{1000};
    for (int pollsBehindEnd = 0; pollsBehindEnd < kMaxPollsInARow;) {
        const std::int64_t beginNs = nowNs();
        bool hasMore = false;
        throughBreaks(progress, stop, [&] { hasMore = host.poll(std::span(&job, 1), stop); });
        news(job);
        if (hasEnded(job.state) && !hasMore) return job;
        if (hasEnded(job.state)) ++pollsBehindEnd;
        const auto taken =
            std::chrono::milliseconds(static_cast<Index>(1000 * secondsSince(beginNs)));
        waitFor(kBetween - std::min(kBetween, taken), stop);
    }
    return job;
}

RemoteJob fetchJob(const fs::path& folder, BringBack bring, const HostProgress& progress,
                   const JobHandler& news, const std::stop_token& stop) {
    RemoteJob job = readJob(folder, stop);
    JobHost host = hostOf(job);
    if (!hasEnded(job.state)) pollUntilRead(host, std::span(&job, 1), stop);
    if (job.state == RemoteState::gone)
        throwError<InputError>("The job {}: {}.", job.id, job.message);
    if (bring == BringBack::volume && job.state != RemoteState::done)
        throwError<InputError>(
            "The job {} has no volume yet: {}. Its preview comes by "
            "--bring preview.",
            job.id, job.message);
    // The preview comes first: it is small, and shows whether the rest is worth the time.
    host.fetchRecords(std::span(&job, 1), true, progress, stop);
    if (news) news(job);
    if (bring == BringBack::volume) host.fetchVolume(job, progress, stop);
    keepRemoteJob(job);
    return job;
}

RemoteJob cancelJob(const fs::path& folder, const std::stop_token& stop) {
    RemoteJob job = readJob(folder, stop);
    JobHost host = hostOf(job);
    if (!job.place.empty()) {
        host.cancel(job, stop);
        // The job ends by itself, and keeps what it has finished.
        constexpr int kPolls = 20;
        for (int i = 0; i < kPolls && !hasEnded(job.state); ++i) {
            if (i > 0) waitFor(std::chrono::milliseconds(500), stop);
            (void)host.poll(std::span(&job, 1), stop);
            if (job.isLost()) break;
        }
    }
    if (job.state == RemoteState::preparing) {
        job.state = RemoteState::cancelled;
        job.message = "was cancelled before the host had it";
        keepRemoteJob(job);
    }
    return job;
}

}  // namespace gantry
