#include "core/remote/action/job_host.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>

#include "core/base/file.h"
#include "core/base/throw_error.h"
#include "core/io/volume/volume_format.h"
#include "core/job/job_directory.h"
#include "core/job/job_file.h"
#include "core/job/job_status.h"
#include "core/remote/host/shell_text.h"
#include "core/remote/job/job_logs.h"
#include "core/remote/scheduler/batch_script.h"
#include "core/remote/scheduler/batch_system.h"
#include "core/remote/scheduler/host_findings.h"
#include "core/remote/transfer/fetched_folder.h"
#include "core/remote/transfer/fetched_names.h"
#include "core/remote/transfer/fetched_volume.h"
#include "core/remote/transfer/sent_files.h"
#include "core/remote/transfer/transfer.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// $1: who sends the jobs; then their ids. Prints the folder, and the output of gantry's --version.
std::string prepareScript(const Host& host) {
    return setupLines(host) + fmt::format("scratch={}\n", placeWord(host.scratch)) +
           R"sh(mkdir -p "$scratch" && cd "$scratch" || exit 3
umask 077
mkdir -p jobs data && chmod 700 jobs data || exit 3
sender=$1; shift
for id; do
  mkdir -p "jobs/$id/out" "jobs/$id/job" && chmod 700 "jobs/$id" || exit 3
  printf '%s\n' "$sender" >"jobs/$id/owner" || exit 3
done
echo "place $(pwd)"
)sh" +
           fmt::format("echo \"version $({} --version 2>&1 | head -n 1 | head -c 300)\"\n",
                       gantryWords(host));
}

// The sender's name (user@machine), for users of several machines.
std::string thisUser() {
    constexpr std::size_t kMaxName = 256;
    char machine[kMaxName] = "";
    (void)::gethostname(machine, sizeof(machine) - 1);
    const char* user = std::getenv("USER");
    return shownText(fmt::format("{}@{}", user ? user : std::to_string(::getuid()), machine), 200);
}

std::string lineOf(const std::string& output, const std::string& key) {
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(key + " ")) return line.substr(key.size() + 1);
    return {};
}

constexpr Index kMaxRecord = 4'000'000'000;  // a preview is the largest

struct Record {
    HostFile file;  // by its name below "/"
    fs::path job;   // its folder here
    fs::path place;
};

// The listed files of the job's folder that are fetched. Logs come by poll(); the request there
// names files of the host, and the lock a process there.
std::vector<Record> recordsOf(const RemoteJob& job, const std::vector<HostFile>& listed,
                              bool withPreview) {
    const fs::path folder = fs::path(job.place).relative_path() / "job";
    std::vector<Record> records;
    bool hasCheckpoint = false;
    for (const auto& [name, bytes] : listed) {
        hasCheckpoint = hasCheckpoint || name == "checkpoint.json";
        if (!isFetchedRecord(name) || (name == "preview.mha" && !withPreview)) continue;
        if (bytes > kMaxRecord)
            throwError<InputError>("{} lists {} with {} bytes; a job's files have at most {}.",
                                   job.host, name, bytes, kMaxRecord);
        records.push_back({{(folder / name).string(), bytes}, job.folder, job.folder / name});
    }
    if (listed.empty())
        throwError<InputError>("{} has no folder {}/job any more.", job.host, job.place);
    if (!hasCheckpoint) removeFile(job.folder / "checkpoint.json");
    return records;
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

void addHowToContinue(RemoteJob& job) {
    if (job.state == RemoteState::done) return;
    if (job.message.ends_with('.')) job.message.pop_back();
    if (job.state != RemoteState::gone)
        if (const std::string made = slabsMade(job); !made.empty()) job.message += "; " + made;
    const char* again = job.state == RemoteState::gone ? "start it anew" : "resume it";
    const std::string command =
        job.state == RemoteState::gone ? "gantry reconstruct" : "gantry resume " + job.id;
    job.message += fmt::format("; to {}: {}", again, command);
}

// The volume's place on the host, where links of this machine mean nothing.
fs::path outputThere(const RemoteJob& job, const fs::path& output) {
    const fs::path folder = fs::path(job.place) / "out";
    const fs::path name = placeOf(output).filename();
    return output.has_filename() ? folder / name : folder / name / "";
}

// A job that has ended is polled again as long as its log has more, and told of anew each time.
bool hasNewEnd(const RemoteJob& job, const RemoteJob& before) {
    return hasEnded(job.state) && (job.state != before.state || job.message != before.message);
}

}  // namespace

void JobHost::prepare(std::span<HandOver> jobs, const std::stop_token& stop) const {
    std::vector<std::string> arguments = {thisUser()};
    for (const HandOver& each : jobs)
        arguments.push_back(each.job.id);
    const ShellAnswer answer =
        m_shell.run({.script = prepareScript(host()), .arguments = std::move(arguments)}, stop);
    if (answer.code != 0)
        throwError<ResourceError>(
            "{}: the folder {} cannot be used: {}. Check its permissions and the room on its disk, "
            "or name another one in the host's file (scratch).",
            m_shell.hostName(), host().scratch, answer.complaints);
    if (const HostFinding found = versionFinding(host(), lineOf(answer.output, "version"));
        !found.isGood)
        throwError<InputError>("{}: {}: {}. {}", m_shell.hostName(), found.what, found.found,
                               found.advice);
    const std::string scratch = lineOf(answer.output, "place");
    if (!scratch.starts_with('/') || fs::path(scratch).lexically_normal() != scratch)
        throwError<ResourceError>("{} did not say where {} is.", m_shell.hostName(),
                                  host().scratch);
    for (HandOver& each : jobs)
        each.job.place = scratch + "/jobs/" + each.job.id;
}

// @returns the job's request with the host's paths
JobSpec JobHost::sendScan(HandOver& over, const HostProgress& progress,
                          const std::stop_token& stop) {
    RemoteJob& job = over.job;
    JobSpec there = over.spec;
    if (job.way == DataWay::mapped) there = asMapped(std::move(there), host());
    if (job.way == DataWay::sent) {
        const ScanFiles files = filesOf(over.spec.scan);
        const fs::path scratch = fs::path(job.place).parent_path().parent_path();
        job.data = (scratch / "data" / ("scan-" + files.state)).string();
        if (!m_sent.contains(job.data))
            sendFiles(m_shell, files.root, files.files, job.data, progress, stop);
        m_sent.insert(job.data);
        there = asSent(std::move(there), files, job.data);
    }
    there.output.path = outputThere(job, over.spec.output.path);
    there.ranks = 1;  // its script starts the others
    return there;
}

// Sends the slabs that an earlier run has finished, if there are any.
void JobHost::sendCheckpoint(const HandOver& over, const HostProgress& progress,
                             const std::stop_token& stop) const {
    const RemoteJob& job = over.job;
    const fs::path& output = over.spec.output.path;
    const CheckpointFiles files = checkpointFiles(job.folder, output);
    if (!files.ofJob.empty())
        sendFiles(m_shell, job.folder, files.ofJob, job.place + "/job", progress, stop);
    if (!files.ofVolume.empty())
        sendFiles(m_shell, placeOf(output).parent_path(), files.ofVolume, job.place + "/out",
                  progress, stop);
}

void JobHost::stage(HandOver& over, const HostProgress& progress, const std::stop_token& stop) {
    over.request = toJson(sendScan(over, progress, stop));
    sendCheckpoint(over, progress, stop);
}

bool JobHost::readOn(std::span<RemoteJob> jobs, const std::stop_token& stop) const {
    const BatchSystem& system = batchSystem(host().scheduler);
    std::vector<std::string> numbers;
    for (const RemoteJob& job : jobs)
        if (!job.number.empty()) numbers.push_back(job.number);
    const LogNews news = readLogs(m_shell, jobs,
                                  fmt::format("{}numbers='{}'\n{}", queueLines(host()),
                                              fmt::join(numbers, " "), system.question),
                                  stop);
    const QueueNews queue = system.parse(news.more);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        RemoteJob& job = jobs[i];
        if (!job.number.empty())
            system.settle(job, news.traces[i], endOfLog(job.folder), queue, host());
        if (news.traces[i].isGone) {
            job.state = RemoteState::gone;
            job.message = fmt::format("its folder there, {}, was removed", job.place);
        } else if (news.traces[i].isCancelled && hasEnded(job.state) &&
                   job.state != RemoteState::done) {
            // A launcher that is ended early may give any exit code, and PBS states no other cause.
            job.state = RemoteState::cancelled;
            job.message = "was cancelled";
        }
    }
    return news.hasMore;
}

bool JobHost::poll(std::span<RemoteJob> jobs, const std::stop_token& stop) {
    const std::vector<RemoteJob> before(jobs.begin(), jobs.end());
    for (RemoteJob& job : jobs)
        if (job.isLost()) (void)find(job, stop);
    const bool hasMore = readOn(jobs, stop);
    std::vector<RemoteJob> left;
    for (std::size_t i = 0; i < jobs.size(); ++i)
        if (hasNewEnd(jobs[i], before[i]) && jobs[i].state != RemoteState::gone)
            left.push_back(jobs[i]);
    constexpr double kNoPatience = 0;  // the next poll tries again
    if (!left.empty()) fetchRecords(left, false, {.patienceSeconds = kNoPatience}, stop);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (hasNewEnd(jobs[i], before[i])) addHowToContinue(jobs[i]);
        if (jobs[i].state != before[i].state || jobs[i].message != before[i].message)
            keepRemoteJob(jobs[i]);
    }
    return hasMore;
}

void JobHost::fetchRecords(std::span<const RemoteJob> jobs, bool withPreview,
                           const HostProgress& progress, const std::stop_token& stop) const {
    std::vector<std::string> folders;
    for (const RemoteJob& job : jobs)
        folders.push_back(job.place + "/job");
    std::vector<std::vector<HostFile>> listed;
    throughBreaks(progress, stop, [&] { listed = listFiles(m_shell, folders, stop); });
    std::vector<Record> records;
    for (std::size_t i = 0; i < jobs.size(); ++i)
        for (Record& record : recordsOf(jobs[i], listed.at(i), withPreview))
            records.push_back(std::move(record));
    const FetchedFolder fetched(jobs.front().folder, stop);
    std::vector<HostFile> files;
    for (const Record& record : records) {
        fetched.seed(record.file.name, record.place);
        files.push_back(record.file);
    }
    fetchFiles(m_shell, "/", files, fetched.path(), {}, progress, stop);
    for (const Record& record : records)
        fetched.moveTo(record.file.name, record.job, record.place);
    fetched.remove();
}

void JobHost::fetchVolume(RemoteJob& job, const HostProgress& progress,
                          const std::stop_token& stop) const {
    JobSpec spec = readJobRequest(job.folder);
    const fs::path output = std::exchange(spec.output.path, outputThere(job, spec.output.path));
    const fs::path folder = placeOf(output).parent_path();
    std::vector<std::vector<HostFile>> listed;
    throughBreaks(progress, stop, [&] { listed = listFiles(m_shell, {job.place + "/out"}, stop); });
    std::vector<std::string> left;
    const std::vector<HostFile> files = filesOfVolume(spec, listed.at(0), left);
    if (!left.empty() && progress.onRemark)
        progress.onRemark(leftFilesNotice(m_shell.hostName(), left));
    const FetchedFolder fetched(job.folder, stop);
    fetchFiles(m_shell, job.place + "/out", files, fetched.path(), folder, progress, stop);
    requireListedSizes(m_shell.hostName(), fetched, files);
    if (job.state == RemoteState::done) requireVolumeOf(spec, m_shell.hostName(), fetched);
    takeVolume(job, fetched, files, folder);
    fetched.remove();
    job.isFetched = true;
    try {
        (void)m_shell.run(
            {.script = R"([ ! -d "$1" ] || : >"$1/fetched")", .arguments = {job.place}}, stop);
    } catch (const HostUnreachable&) {
        // Its files stay there for longer than needed.
    }
}

}  // namespace gantry
