#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/cli/field_options.h"
#include "app/cli/host_json.h"
#include "app/cli/remote_run.h"
#include "app/cli/run_job.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/base/wait.h"
#include "core/job/job_directory.h"
#include "core/job/job_status.h"
#include "core/remote/action/host_watch.h"

namespace gantry {

namespace {

using Json = nlohmann::ordered_json;

struct JobWords {
    std::string job;
    std::string host;
    std::string bring = "volume";
    bool here = false;
    bool follow = false;
    bool json = false;
    HostOptions run;
};

// The jobs of one host that may have news, and why it did not answer, if so.
struct OfHost {
    std::vector<RemoteJob> jobs;
    std::string whyNot;

    void ask(const std::string& name, const std::stop_token& stop) {
        std::vector<RemoteJob> open;
        for (const RemoteJob& job : jobs)
            if (!hasEnded(job.state) && !job.place.empty()) open.push_back(job);
        if (open.empty()) return;
        try {
            pollJobs(name, open, stop);
        } catch (const std::exception& error) {
            whyNot = messageOf(error);  // the other hosts are unaffected
        }
        for (RemoteJob& job : jobs)
            for (const RemoteJob& now : open)
                if (now.id == job.id) job = now;
    }
};

void tellOfDamage(const std::string& sentence) {
    show(stderr, "{}\n", sentence);
}

// Polls all hosts at the same time, so that one that hangs does not delay the others.
std::map<std::string, OfHost> askHosts(const std::string& only, const std::stop_token& stop) {
    std::map<std::string, OfHost> hosts;
    for (RemoteJob& job : remoteJobs({}, tellOfDamage))
        if (only.empty() || job.host == only) hosts[job.host].jobs.push_back(std::move(job));
    std::vector<std::jthread> threads;
    threads.reserve(hosts.size());
    for (auto& [name, host] : hosts)
        threads.emplace_back([&name = name, &host = host, stop] { host.ask(name, stop); });
    threads.clear();
    return hosts;
}

std::string wordsOf(const RemoteJob& job) {
    if (job.state != RemoteState::running) return job.message;
    return fmt::format("{:.0f} %, {}", 100 * endOfLog(job.folder).fraction(), job.message);
}

// Prints a line for a job when it has news, until all have ended or Ctrl+C.
int followAll(const JobWords& words, Session& session) {
    std::mutex printing;
    std::map<std::string, std::string> printed;
    std::map<std::string, std::unique_ptr<HostWatch>> watches;
    const auto tell = [&](const HostNews& news) {
        const std::scoped_lock lock(printing);
        if (!news.whyNot.empty()) show(stderr, "{}\n", news.whyNot);
        for (const RemoteJob& job : news.jobs) {
            const std::string line = fmt::format("{}  {}", name(job.state), wordsOf(job));
            if (std::exchange(printed[job.id], line) == line) continue;
            if (words.json)
                show("{}\n", toJson(job).dump(-1, ' ', false, Json::error_handler_t::replace));
            else
                show("{}  {}  {}\n", job.id, job.host, line);
        }
        std::fflush(stdout);
    };
    for (const RemoteJob& job : remoteJobs({}, tellOfDamage)) {
        if (hasEnded(job.state) || job.place.empty()) continue;
        if (!words.host.empty() && job.host != words.host) continue;
        std::unique_ptr<HostWatch>& watch = watches[job.host];
        if (!watch) watch = std::make_unique<HostWatch>(job.host, tell);
        watch->add(job);
    }
    const auto isAnyLeft = [&] {
        return std::ranges::any_of(watches,
                                   [](const auto& each) { return each.second->count() > 0; });
    };
    while (isAnyLeft()) {
        waitFor(std::chrono::milliseconds(100), session.stop());
    }
    return 0;
}

int list(const JobWords& words, Session& session) {
    if (words.follow) return followAll(words, session);
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    std::vector<std::string> lines;
    std::vector<std::string> silent;
    for (const auto& [name, host] : askHosts(words.host, session.stop())) {
        for (const RemoteJob& job : host.jobs) {
            all.push_back(toJson(job));
            all.back()["answers"] = host.whyNot.empty();
            lines.push_back(fmt::format("{}  {}  {}  {}\n    {}\n", job.id, job.host,
                                        gantry::name(job.state), job.folder.string(),
                                        wordsOf(job)));
        }
        if (!host.whyNot.empty()) silent.push_back(host.whyNot);
    }
    if (words.json) {
        show("{}\n", shownJson(all));
        return 0;
    }
    for (const std::string& line : lines)
        show("{}", line);
    if (lines.empty()) show("There are no jobs of hosts.\n");
    for (const std::string& why : silent)
        show(stderr, "{} What is shown is what was last known.\n", why);
    return 0;
}

int fetch(const JobWords& words, Session& session) {
    const RemoteJob job = fetchWithProgress(
        findRemoteJob(words.job), static_cast<BringBack>(placeOf(words.bring, kBringWords)),
        words.json, session);
    if (words.json)
        printJobs({job});
    else
        show("{}", textFields({{"job", job.folder.string()}, {"volume", volumeWords(job)}}));
    return 0;
}

int cancel(const JobWords& words, Session& session) {
    const RemoteJob job = cancelJob(findRemoteJob(words.job).folder, session.stop());
    if (words.json)
        printJobs({job});
    else
        show("Job {} {}.\n", job.id, job.message);
    return 0;
}

int resume(const JobWords& words, Session& session) {
    const RemoteJob job = findRemoteJob(words.job);
    if (!words.here) return resumeOnHost(job, words.run, words.json, session);
    takeWithProgress(job, words.json, session);
    return runAndPrint(JobDirectory::open(job.folder), session, words.json);
}

// The volume's name stands for its job's folder.
int stop(const JobWords& words) {
    std::filesystem::path folder = std::filesystem::absolute(words.job).lexically_normal();
    if (!pathExists(folder / "job.json") && pathExists(jobFolderFor(folder) / "job.json"))
        folder = jobFolderFor(folder);
    requestStop(folder);
    if (readJobStatus(folder).workerPid)
        show("The job ends after the iteration at work, and keeps its volume.\n");
    else
        show("The job does not run. gantry worker {} ends it where it was interrupted.\n",
             folder.string());
    return 0;
}

}  // namespace

void addJobs(Command program) {
    auto words = std::make_shared<JobWords>();
    Command jobs = program.command("jobs", "How jobs on hosts are doing; each host is asked once");
    jobs.option("--host", words->host, "NAME", "Those of this host alone");
    jobs.flag("--follow", words->follow,
              "Print a line whenever one has news, until all have ended");
    jobs.flag("--json", words->json, "Print one JSON document; with --follow, one a line");
    jobs.examples("  gantry jobs\n  gantry jobs --host cluster --json\n  gantry jobs --follow");
    jobs.action([words](Session& session) { return list(*words, session); });

    constexpr const char* kJobHelp = "The job's number, its folder here, or its volume";
    Command fetching = program.command("fetch", "Fetch what a job on a host has made");
    fetching.required("job", words->job, "JOB", kJobHelp);
    addRow(fetching, hostWishFields(), "bring", words->bring);
    fetching.flag("--json", words->json, "Print one JSON document");
    fetching.examples("  gantry fetch volume.mha\n  gantry fetch volume.mha --bring preview");
    fetching.action([words](Session& session) { return fetch(*words, session); });

    Command cancelling = program.command("cancel", "End a job on a host; finished slabs are kept");
    cancelling.required("job", words->job, "JOB", kJobHelp);
    cancelling.flag("--json", words->json, "Print one JSON document");
    cancelling.examples("  gantry cancel volume.mha");
    cancelling.action([words](Session& session) { return cancel(*words, session); });

    Command stopping = program.command(
        "stop", "Have a job by an iterative method end after its iteration and keep the volume");
    stopping.required("job", words->job, "JOBDIR", "The job's folder, or its volume");
    stopping.examples("  gantry stop volume.mha.job\n  gantry stop volume.mha");
    stopping.action([words](Session&) { return stop(*words); });

    Command resuming = program.command(
        "resume", "Have a job on a host go on from its finished slabs, there or elsewhere");
    resuming.required("job", words->job, "JOB", kJobHelp);
    addHostOptions(resuming, words->run);
    resuming.flag("--here", words->here, "On this machine: what is finished is fetched first");
    resuming.flag("--json", words->json, "Print one JSON document");
    resuming.examples(
        "  gantry resume volume.mha\n"
        "  gantry resume volume.mha --host other-cluster\n"
        "  gantry resume volume.mha --here");
    resuming.action([words](Session& session) { return resume(*words, session); });
}

}  // namespace gantry
