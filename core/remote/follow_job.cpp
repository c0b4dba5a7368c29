#include "core/remote/follow_job.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/job/job_directory.h"
#include "core/job/job_file.h"
#include "core/job/job_status.h"
#include "core/remote/scan_files.h"
#include "core/remote/send_files.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRequest = "host-job.json";  // with the host's paths
constexpr const char* kScript = "job.sh";

bool isOfARun(const std::string& name) {
    return name == "checkpoint.json" || name == "summary.bin" ||
           name.starts_with("checkpoint.rank") || name.starts_with("events.");
}

void addFile(const fs::path& path, const std::string& name, std::vector<LocalFile>& files) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(path, error);
    if (!error) files.push_back({path, name, static_cast<Index>(bytes)});
}

// What is written of the volume, under whatever name it has until it is complete.
void addUnfinished(const fs::path& output, std::vector<LocalFile>& files) {
    const fs::path volume = output.has_filename() ? output : output.parent_path();
    const std::string name = volume.filename().string();
    for (const fs::path& entry : entriesOf(volume.parent_path())) {
        const std::string own = entry.filename().string();
        if (own == name || own.find(name + ".") == std::string::npos) continue;
        if (own.ends_with(".job") || own.ends_with(".fetching")) continue;
        if (!isFolder(entry)) {
            addFile(entry, "out/" + own, files);
            continue;
        }
        for (const auto& below : fs::recursive_directory_iterator(entry))
            if (below.is_regular_file())
                addFile(below.path(),
                        "out/" + below.path().lexically_relative(volume.parent_path()).string(),
                        files);
    }
}

// The finished slabs of an earlier run, elsewhere.
void sendCheckpoint(const HostShell& shell, const HandOver& job, const HostProgress& progress,
                    const std::stop_token& stop) {
    if (!pathExists(job.job.folder / "checkpoint.json")) return;
    std::vector<LocalFile> files;
    for (const fs::path& entry : entriesOf(job.job.folder))
        if (const std::string name = entry.filename().string(); isOfARun(name))
            addFile(entry, "job/" + name, files);
    addUnfinished(job.spec.output.path, files);
    sendFiles(shell, files, job.job.place, progress, stop);
}

// "it had made 12 of 16 slabs"; empty where none is kept.
std::string slabsMade(const RemoteJob& job) {
    try {
        const std::optional<Checkpoint> kept = JobDirectory::join(job.folder).readCheckpoint();
        if (!kept || kept->allDone().empty()) return {};
        return fmt::format("it had made {} of {} slabs", kept->allDone().size(),
                           kept->slabs.slabs.size());
    } catch (const InputError&) {
        return {};
    }
}

void addWayOn(RemoteJob& job) {
    if (job.state == RemoteState::done) return;
    if (job.message.ends_with('.')) job.message.pop_back();
    if (job.state != RemoteState::gone)
        if (const std::string made = slabsMade(job); !made.empty()) job.message += "; " + made;
    const char* again = job.state == RemoteState::gone ? "start it anew" : "resume it";
    const std::string command =
        job.state == RemoteState::gone ? "gantry reconstruct" : "gantry resume " + job.id;
    job.message += fmt::format("; to {}: {}", again, command);
}

// By the checkpoint that was fetched.
void takeOver(const RemoteJob& job) {
    const fs::path checkpoint = job.folder / "checkpoint.json";
    if (!pathExists(checkpoint)) return;
    if (job.way == DataWay::sent && !job.data.empty()) {
        const std::string state = filesOf(readJobRequest(job.folder).scan).state;
        if (!job.data.ends_with("scan-" + state))
            throw InputError(fmt::format(
                "The scan's files have changed since they were sent to {}. Start the job anew.",
                job.host));
    }
    // The same files by other names: whoever sent them saw by checksums that they are.
    nlohmann::ordered_json document = ownOrderedJson(readTextFile(checkpoint));
    document["inputs"] = "";
    writeFileAtomically(checkpoint, jsonText(document) + "\n");
}

bool hasNewEnd(const RemoteJob& job, const RemoteJob& before) {
    return hasEnded(job.state) && !hasEnded(before.state);
}

}  // namespace

DataWay usualWay(const Host& host, const ScanFile& scan) {
    if (host.isHere()) return DataWay::there;
    return mappedPath(host, scan.path) ? DataWay::mapped : DataWay::sent;
}

RemoteJob newRemoteJob(const fs::path& folder, const std::string& host,
                       const JobResources& resources) {
    const std::optional<RemoteJob> former = readRemoteJob(folder);
    if (former && (former->state == RemoteState::waiting || former->state == RemoteState::running))
        throw InputError(
            fmt::format("{} is a job that {} {}. Cancel it first (gantry cancel {}), or choose "
                        "another --out.",
                        folder.string(), former->host,
                        former->state == RemoteState::waiting ? "will run" : "runs", former->id));
    RemoteJob job;
    job.folder = folder;
    job.id = newJobId();
    job.host = host;
    job.nodes = resources.nodes;
    job.ranks = resources.ranks();
    job.minutes = resources.minutes;
    return job;
}

void keepHandOver(const HandOver& job) {
    writeFileAtomically(job.job.folder / kScript, job.script);
    keepRemoteJob(job.job);
}

HandOver readHandOver(const fs::path& folder) {
    std::optional<RemoteJob> job = readRemoteJob(folder);
    if (!job) throw InputError(fmt::format("{} is no job of a host any more.", folder.string()));
    return {std::move(*job), readJobRequest(folder), readTextFile(folder / kScript)};
}

void handOver(JobHost& host, HandOver& job, const HostProgress& progress,
              const std::stop_token& stop) {
    host.prepare(job.job, stop);  // a host that is not reached at all is not waited for
    keepRemoteJob(job.job);
    const JobSpec there = host.stage(job.spec, job.job, progress, stop);
    keepRemoteJob(job.job);
    sendCheckpoint(HostShell(host.host()), job, progress, stop);
    writeFileAtomically(job.job.folder / kRequest, toJson(there));
    keepHandOver(job);
    runAgain(host, job.job, stop);
}

void runAgain(JobHost& host, RemoteJob& job, const std::stop_token& stop) {
    host.submit(readTextFile(job.folder / kRequest), readTextFile(job.folder / kScript), job, stop);
    keepRemoteJob(job);
}

bool refresh(JobHost& host, std::span<RemoteJob> jobs, const std::stop_token& stop) {
    const std::vector<RemoteJob> before(jobs.begin(), jobs.end());
    const bool hasMore = host.look(jobs, stop);
    std::vector<RemoteJob> left;
    for (std::size_t i = 0; i < jobs.size(); ++i)
        if (hasNewEnd(jobs[i], before[i]) && jobs[i].state != RemoteState::gone)
            left.push_back(jobs[i]);
    host.fetchRecords(left, stop);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (hasNewEnd(jobs[i], before[i])) addWayOn(jobs[i]);
        if (jobs[i].state != before[i].state || jobs[i].message != before[i].message)
            keepRemoteJob(jobs[i]);
    }
    return hasMore;
}

void follow(JobHost& host, RemoteJob& job, const HostProgress& progress,
            const std::function<void(const RemoteJob&)>& news, const std::stop_token& stop) {
    constexpr double kSecondsBetween = 1;
    while (true) {
        const std::int64_t beginNs = nowNs();
        bool hasMore = false;
        throughBreaks(
            progress.patienceSeconds, stop,
            [&] { hasMore = refresh(host, std::span(&job, 1), stop); }, progress.said);
        news(job);
        if (hasEnded(job.state) && !hasMore) return;
        while (secondsSince(beginNs) < kSecondsBetween) {
            if (stop.stop_requested()) throw Cancelled();
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
    }
}

void bringCheckpoint(JobHost& host, RemoteJob& job, const HostProgress& progress,
                     const std::stop_token& stop) {
    if (job.state == RemoteState::gone || job.number.empty()) return;
    while (host.look(std::span(&job, 1), stop)) {
    }
    host.fetch(job, BringBack::volume, progress, stop);
    job.isFetched = false;
    takeOver(job);
}

}  // namespace gantry
