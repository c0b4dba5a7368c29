#include "app/cli/remote_run.h"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "app/cli/host_json.h"
#include "app/cli/interrupt.h"
#include "app/cli/terminal.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/job/job_directory.h"
#include "core/remote/scheduler/slurm_words.h"
#include "core/remote/shell/host_scan.h"
#include "core/remote/transfer/scan_files.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

HostProgress progressOn(ProgressLine& line) {
    return {[&line](Index done, Index all) {
                line.update(all > 0 ? static_cast<double>(done) / static_cast<double>(all) : 1);
            },
            [](const std::string& sentence) {
                show(stderr, "{} Trying again.\n", withFullStop(sentence));
            },
            [](const std::string& sentence) { show(stderr, "{}\n", sentence); }, 60};
}

DataWay wayOf(const std::string& word, const Host& host, const ScanFile& scan) {
    if (word == "there") return DataWay::there;
    if (word == "map") return DataWay::mapped;
    if (word == "send") return DataWay::sent;
    return usualWay(host, scan);
}

int printScript(const Host& host, const JobResources& resources, bool json) {
    const std::string script = batchScript(host, resources, "ID");
    if (json)
        showJson({{"host", host.name},
                  {"nodes", resources.nodes},
                  {"ranks", resources.ranks()},
                  {"minutes", resources.minutes},
                  {"reason", resources.reason},
                  {"script", script}});
    else
        show("{}", script);
    return 0;
}

int endOfFollowed(const RemoteJob& job) {
    if (job.state == RemoteState::done) return 0;
    if (job.state == RemoteState::cancelled) return kCancelledExitCode;
    return 1;
}

void printJobPlace(const RemoteJob& job) {
    show(stderr,
         "The job {} is left to {}. To look at it: gantry jobs; to have its volume: gantry "
         "fetch {}; to end it: gantry cancel {}.\n",
         job.id, job.host, job.id, job.id);
}

}  // namespace

BringBack bringBackOf(const std::string& word) {
    if (word == "preview") return BringBack::preview;
    return word == "nothing" ? BringBack::nothing : BringBack::volume;
}

void addHostOptions(Command& command, HostOptions& o) {
    command.option("--host", o.host, "NAME",
                   "Have a host do it: one of `gantry host list`, or a host's file");
    command.option("--nodes", o.nodes, "N",
                   "Nodes of the host; by default as many as are predicted to be worth it");
    command.option("--minutes", o.minutes, "N",
                   "Time limit there; by default three times the prediction");
    command.choice("--data", o.data, {"auto", "map", "send", "there"},
                   "How the scan comes to the host: it sees the same files (map), they are sent "
                   "once (send), or SCAN is a place on the host (there); auto: map where the "
                   "host's file has such a folder, else send");
    command.choice("--bring", o.bring, {"volume", "preview", "nothing"},
                   "What of the volume comes back when it is done");
    command.flag("--detach", o.detach, "Hand the job over, and do not wait for its end");
    command.flag("--script-only", o.scriptOnly, "Print the script that the host would run");
    command.option("--script", o.script, "FILE", "Hand over this script, an edited one of those");
}

JobSpec makeHostJobSpec(ReconstructionOptions request, const HostOptions& options,
                        Session& session) {
    const fs::path there =
        request.scan.extension() == ".json" ? request.scan : request.scan / "scan.json";
    const std::string text =
        readScanThere(HostShell(findHost(options.host)), there, session.stop());
    std::string folder = (fs::temp_directory_path() / "gantry-scan-XXXXXX").string();
    if (!::mkdtemp(folder.data())) throw ResourceError("There is no room for temporary files.");
    request.scan = fs::path(folder) / "scan.json";
    const auto remove = [&] {
        std::error_code ignored;
        fs::remove_all(folder, ignored);
    };
    try {
        writeFileAtomically(request.scan, text);
        JobSpec spec = makeJobSpec(request, session.stop());
        remove();
        spec.scan.path = there;
        spec.scan.folder = there.parent_path();
        return spec;
    } catch (...) {
        remove();
        throw;
    }
}

int runOnHost(const JobSpec& spec, const fs::path& folder, const HostOptions& options, bool json,
              Session& session) {
    const Host host = findHost(options.host);
    const JobResources resources = resourcesFor(host, spec, options.nodes, options.minutes);
    if (options.scriptOnly) return printScript(host, resources, json);
    RemoteJob job = newRemoteJob(folder, options.host, resources);
    job.bring = bringBackOf(options.bring);
    job.way = wayOf(options.data, host, spec.scan);
    // throws before anything is created
    if (job.way == DataWay::mapped) (void)asMapped(spec, host);
    const bool isResumed = pathExists(folder / "checkpoint.json");
    if (!isResumed) (void)JobDirectory::create(folder, spec);
    HandOver over = {job, spec,
                     options.script.empty() ? batchScript(host, resources, job.id)
                                            : readTextFile(options.script, 1'000'000)};
    const std::unique_ptr<JobHost> at = makeJobHost(host);
    ProgressLine line("Sending", json);
    handOver(*at, over, progressOn(line), session.stop());
    line.end();
    if (!json)
        show(stderr, "Job {} on {}: {} node{}, {} rank{} ({}).\n", over.job.id, host.name,
             resources.nodes, resources.nodes == 1 ? "" : "s", resources.ranks(),
             resources.ranks() == 1 ? "" : "s", resources.reason);
    if (!options.detach) return followAndFetch(*at, over.job, json, session);
    if (json)
        printJobJson(over.job);
    else
        printJobPlace(over.job);
    return 0;
}

void fetchWithProgress(JobHost& host, RemoteJob& job, BringBack bring, bool json,
                       Session& session) {
    ProgressLine line("Fetching", json);
    // The preview comes first: it is small, and shows whether the rest is worth the time.
    host.fetch(job, BringBack::preview, progressOn(line), session.stop());
    if (bring == BringBack::volume)
        host.fetch(job, BringBack::volume, progressOn(line), session.stop());
    line.end();
    keepRemoteJob(job);
}

void bringCheckpointWithProgress(JobHost& host, RemoteJob& job, bool json, Session& session) {
    ProgressLine line("Fetching", json);
    bringCheckpoint(host, job, progressOn(line), session.stop());
    line.end();
}

int followAndFetch(JobHost& host, RemoteJob job, bool json, Session& session) {
    try {
        ProgressLine line("Reconstructing", json);
        std::string shown;
        follow(
            host, job, progressOn(line),
            [&](const RemoteJob& now) {
                if (now.state == RemoteState::running) line.update(endOfLog(now).fraction);
                if (!json && now.message != shown && !hasEnded(now.state))
                    show(stderr, "Job {} {}\n", now.id, withFullStop(now.message));
                shown = now.message;
            },
            session.stop());
    } catch (const Cancelled&) {
        printJobPlace(job);
        throw;
    }
    if (job.state == RemoteState::done && job.bring != BringBack::nothing)
        fetchWithProgress(host, job, job.bring, json, session);
    if (json) printJobJson(job);
    if (job.state != RemoteState::done)
        show(stderr, "gantry: The job {} on {} {}\n", job.id, job.host, withFullStop(job.message));
    else if (!json)
        show("{}", textFields({{"job", job.folder.string()},
                               {"volume", volumeWords(job)},
                               {"timeline", "gantry timeline " + job.folder.string()}}));
    return endOfFollowed(job);
}

}  // namespace gantry
