#include "core/remote/action/follow_job.h"

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
#include "core/remote/transfer/scan_files.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// Adapts the fetched checkpoint to the files here.
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
    // The host knows the same files by other names; checksums showed that they are equal.
    nlohmann::ordered_json document = ownOrderedJson(readTextFile(checkpoint));
    document["inputs"] = "";
    writeFileAtomically(checkpoint, jsonText(document) + "\n");
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
    writeFileAtomically(job.job.folder / RemoteJob::kScript, job.script);
    keepRemoteJob(job.job);
}

HandOver readHandOver(const fs::path& folder) {
    std::optional<RemoteJob> job = readRemoteJob(folder);
    if (!job) throw InputError(fmt::format("{} is no job of a host any more.", folder.string()));
    return {std::move(*job), readJobRequest(folder), readTextFile(folder / RemoteJob::kScript)};
}

void handOver(JobHost& host, HandOver& job, const HostProgress& progress,
              const std::stop_token& stop) {
    host.prepare(job.job, stop);  // if the host is not reached at all, it is not waited for
    host.stage(job, progress, stop);
    host.submit(job.job, stop);
}

void follow(JobHost& host, RemoteJob& job, const HostProgress& progress,
            const std::function<void(const RemoteJob&)>& news, const std::stop_token& stop) {
    constexpr double kSecondsBetween = 1;
    for (int pollsBehindEnd = 0; pollsBehindEnd < kMaxPollsInARow;) {
        const std::int64_t beginNs = nowNs();
        bool hasMore = false;
        throughBreaks(
            progress.patienceSeconds, stop, [&] { hasMore = host.poll(std::span(&job, 1), stop); },
            progress.onNotice);
        news(job);
        if (hasEnded(job.state) && !hasMore) return;
        if (hasEnded(job.state)) ++pollsBehindEnd;
        while (secondsSince(beginNs) < kSecondsBetween) {
            if (stop.stop_requested()) throw Cancelled();
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
    }
}

void bringCheckpoint(JobHost& host, RemoteJob& job, const HostProgress& progress,
                     const std::stop_token& stop) {
    if (job.state == RemoteState::gone || job.number.empty()) return;
    for (int i = 0; i < kMaxPollsInARow && host.poll(std::span(&job, 1), stop); ++i) {
    }
    host.fetch(job, BringBack::volume, progress, stop);
    job.isFetched = false;
    takeOver(job);
}

}  // namespace gantry
