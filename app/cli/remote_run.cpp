#include "app/cli/remote_run.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <system_error>

#include "app/cli/field_options.h"
#include "app/cli/host_json.h"
#include "app/cli/interrupt.h"
#include "app/cli/terminal.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/job/job_status.h"
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
            [](const std::string& sentence) { show(stderr, "{}\n", sentence); }};
}

HostWishes wishesOf(const HostOptions& options) {
    HostWishes wishes = options.wishes;
    if (!options.script.empty()) wishes.script = readTextFile(options.script, 1'000'000);
    return wishes;
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

std::vector<RemoteJob> startWithProgress(const std::vector<fs::path>& folders, bool json,
                                         Session& session) {
    ProgressLine line("Sending", json);
    std::vector<RemoteJob> jobs = startJobs(folders, progressOn(line), session.stop());
    line.end();
    return jobs;
}

RemoteJob followWithProgress(const RemoteJob& job, bool json, Session& session) {
    ProgressLine line("Reconstructing", json);
    std::string shown;
    const auto tell = [&](const RemoteJob& now) {
        if (now.state == RemoteState::running) line.update(endOfLog(now.folder).fraction());
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

// Polls a job until it ends, and fetches what it is to bring.
RemoteJob followAndFetch(const RemoteJob& job, bool json, Session& session) {
    RemoteJob ended = followWithProgress(job, json, session);
    if (ended.state != RemoteState::done || ended.bring == BringBack::nothing) return ended;
    return fetchWithProgress(ended, ended.bring, json, session);
}

// @returns the exit code
int tellEnd(const RemoteJob& job, bool json) {
    if (job.state != RemoteState::done)
        show(stderr, "gantry: The job {} on {} {}\n", job.id, job.host, withFullStop(job.message));
    else if (!json)
        show("{}", textFields({{"job", job.folder.string()},
                               {"volume", volumeWords(job)},
                               {"timeline", "gantry timeline " + job.folder.string()}}));
    if (job.state == RemoteState::done) return 0;
    return job.state == RemoteState::cancelled ? kCancelledExitCode : 1;
}

// Leaves started jobs to their host, or follows one after the other: all of them run meanwhile.
int leaveOrFollow(std::vector<RemoteJob> jobs, bool leaves, bool json, Session& session) {
    if (!leaves)
        for (RemoteJob& job : jobs)
            job = followAndFetch(job, json, session);
    if (json) printJobs(jobs);
    int code = 0;
    for (const RemoteJob& job : jobs) {
        if (!leaves)
            code = std::max(code, tellEnd(job, json));
        else if (!json)
            printJobPlace(job);
    }
    return code;
}

}  // namespace

void addHostOptions(Command& command, HostOptions& o) {
    command.option("--host", o.host, "NAME",
                   "Have a host do it: one of `gantry host list`, or a host's file");
    addFieldOptions(command, hostWishFields(), o.wishes, {kHostOptions});
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

int runOnHost(const std::vector<NewJob>& jobs, const HostOptions& options, bool json,
              Session& session) {
    const HostOrder order = orderFor(options.host, jobs, wishesOf(options));
    const JobResources& resources = order.resources;
    if (options.scriptOnly) return printScript(findHost(options.host), resources, json);
    std::vector<fs::path> folders;
    std::ranges::transform(jobs, std::back_inserter(folders), &NewJob::folder);
    std::vector<File> locks = createJobs(jobs, order, session.stop());
    std::vector<RemoteJob> started = startWithProgress(folders, json, session);
    locks.clear();
    for (const RemoteJob& job : started)
        if (!json)
            show(stderr, "Job {} on {}: {} node{}, {} rank{} ({}).\n", job.id, job.host,
                 resources.nodes, resources.nodes == 1 ? "" : "s", resources.ranks(),
                 resources.ranks() == 1 ? "" : "s", resources.reason);
    return leaveOrFollow(std::move(started), options.detach, json, session);
}

int resumeOnHost(const RemoteJob& job, const HostOptions& options, bool json, Session& session) {
    if (options.host.empty() || options.host == job.host)
        return leaveOrFollow(startWithProgress({job.folder}, json, session), options.detach, json,
                             session);
    const NewJob wanted = {job.folder, readJobRequest(job.folder)};
    const HostOrder order = orderFor(options.host, std::span(&wanted, 1), wishesOf(options));
    ProgressLine line("Moving", json);
    RemoteJob moved = moveJob(job.folder, order, progressOn(line), session.stop());
    line.end();
    return leaveOrFollow({std::move(moved)}, options.detach, json, session);
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
