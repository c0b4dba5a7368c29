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
#include "core/job/job_status.h"
#include "core/remote/job/log_end.h"
#include "core/remote/scheduler/batch_script.h"
#include "core/remote/shell/host_scan.h"

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

HostOrder orderOf(const JobSpec& spec, const std::string& host, const HostOptions& options) {
    const Host at = findHost(host);
    HostOrder order;
    order.host = host;
    order.resources = resourcesFor(at, spec, options.nodes, options.minutes);
    order.way = wayOf(options.data, at, spec.scan);
    order.bring = bringBackOf(options.bring);
    if (!options.script.empty()) order.script = readTextFile(options.script, 1'000'000);
    return order;
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

void printJobPlace(const RemoteJob& job) {
    show(stderr,
         "The job {} is left to {}. To look at it: gantry jobs; to have its volume: gantry "
         "fetch {}; to end it: gantry cancel {}.\n",
         job.id, job.host, job.id, job.id);
}

RemoteJob startWithProgress(const fs::path& folder, bool json, Session& session) {
    ProgressLine line("Sending", json);
    RemoteJob job = startJob(folder, progressOn(line), session.stop());
    line.end();
    return job;
}

RemoteJob followWithProgress(const RemoteJob& job, bool json, Session& session) {
    ProgressLine line("Reconstructing", json);
    std::string shown;
    const auto tell = [&](const RemoteJob& now) {
        if (now.state == RemoteState::running) line.update(endOfLog(now).fraction);
        if (!json && now.message != shown && !hasEnded(now.state))
            show(stderr, "Job {} {}\n", now.id, withFullStop(now.message));
        shown = now.message;
    };
    try {
        return followJob(job.folder, progressOn(line), tell, session.stop());
    } catch (const Cancelled&) {
        printJobPlace(job);
        throw;
    }
}

// Leaves a started job to its host; or polls it until it ends, and fetches what it is to bring.
int leaveOrFollow(RemoteJob job, bool leaves, bool json, Session& session) {
    if (!leaves) job = followWithProgress(job, json, session);
    if (!leaves && job.state == RemoteState::done && job.bring != BringBack::nothing)
        job = fetchWithProgress(job, job.bring, json, session);
    if (json) printJobJson(job);
    if (leaves && !json) printJobPlace(job);
    if (leaves) return 0;
    if (job.state != RemoteState::done)
        show(stderr, "gantry: The job {} on {} {}\n", job.id, job.host, withFullStop(job.message));
    else if (!json)
        show("{}", textFields({{"job", job.folder.string()},
                               {"volume", volumeWords(job)},
                               {"timeline", "gantry timeline " + job.folder.string()}}));
    if (job.state == RemoteState::done) return 0;
    return job.state == RemoteState::cancelled ? kCancelledExitCode : 1;
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
    const HostOrder order = orderOf(spec, options.host, options);
    const JobResources& resources = order.resources;
    if (options.scriptOnly) return printScript(findHost(options.host), resources, json);
    createJob(folder, spec, order, session.stop());
    const RemoteJob job = startWithProgress(folder, json, session);
    if (!json)
        show(stderr, "Job {} on {}: {} node{}, {} rank{} ({}).\n", job.id, job.host,
             resources.nodes, resources.nodes == 1 ? "" : "s", resources.ranks(),
             resources.ranks() == 1 ? "" : "s", resources.reason);
    return leaveOrFollow(job, options.detach, json, session);
}

int resumeOnHost(const RemoteJob& job, const HostOptions& options, bool json, Session& session) {
    if (options.host.empty() || options.host == job.host)
        return leaveOrFollow(startWithProgress(job.folder, json, session), options.detach, json,
                             session);
    const HostOrder order = orderOf(readJobRequest(job.folder), options.host, options);
    ProgressLine line("Moving", json);
    const RemoteJob moved = moveJob(job.folder, order, progressOn(line), session.stop());
    line.end();
    return leaveOrFollow(moved, options.detach, json, session);
}

void takeWithProgress(const RemoteJob& job, bool json, Session& session) {
    ProgressLine line("Fetching", json);
    takeJob(job.folder, progressOn(line), session.stop());
    line.end();
}

RemoteJob fetchWithProgress(const RemoteJob& job, BringBack bring, bool json, Session& session) {
    ProgressLine line("Fetching", json);
    RemoteJob fetched = fetchJob(job.folder, bring, progressOn(line), {}, session.stop());
    line.end();
    return fetched;
}

}  // namespace gantry
