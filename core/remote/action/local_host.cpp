#include "core/remote/action/local_host.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/run_process.h"
#include "core/base/throw_error.h"
#include "core/job/event_log.h"
#include "core/job/job_lock.h"
#include "core/remote/job/remote_status.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// The worker gets a session of its own, so that it continues when this program and its terminal
// end. Its output is in its folder.
constexpr const char* kStart = R"([ -f "$1" ] && [ -x "$1" ] || exit 127
setsid "$@" </dev/null >/dev/null 2>&1 &
echo $!)";

// Identifies a process by its number and its start, in clock ticks since the machine was started:
// the number alone may be reused. Empty if it has ended.
std::string processOf(int pid) {
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    std::string text;
    std::getline(file, text, '\0');  // an iterator would throw if the process ends meanwhile
    // The line is "PID (NAME) STATE ...", where NAME may contain anything.
    std::istringstream fields(text.substr(std::min(text.rfind(')'), text.size())));
    std::vector<std::string> words;
    for (std::string word; fields >> word;)
        words.push_back(word);
    constexpr std::size_t kState = 1;
    constexpr std::size_t kStartTime = 20;
    if (words.size() <= kStartTime) return {};
    // The process has ended but was not waited for yet.
    if (words[kState] == "Z" || words[kState] == "X") return {};
    return fmt::format("{} {}", pid, words[kStartTime]);
}

int pidIn(const std::string& text) {
    int pid = 0;
    std::from_chars(text.data(), text.data() + text.size(), pid);
    return pid;
}

// The worker that was started for the job, while it exists; 0: none. On a disk without locks
// nothing else shows that it is at work.
int workerOf(const RemoteJob& job) {
    const int pid = pidIn(job.number);
    return pid > 0 && processOf(pid) == job.number ? pid : 0;
}

// With several ranks, which the worker has started, the first rank holds the job.
bool isInSessionOf(int worker, std::optional<int> holder) {
    return holder && ::getsid(*holder) == worker;
}

void waitForWorker(const RemoteJob& job, const std::stop_token& stop) {
    constexpr int kTries = 500;
    constexpr std::chrono::milliseconds kPause{20};
    for (int i = 0; i < kTries && !stop.stop_requested(); ++i) {
        const int worker = workerOf(job);
        const JobHolder holder = jobHolder(job.folder);
        if (worker == 0 || isInSessionOf(worker, holder.pid) || !holder.isHeld) return;
        std::this_thread::sleep_for(kPause);
    }
}

void markCancelled(const fs::path& folder) {
    try {
        const File lock = takeJobLock(folder);
        EventLog(folder / "events.jsonl").state(JobState::cancelled);
    } catch (const Error&) {
        // The status in a read-only folder stays unchanged; nobody runs the job.
    }
}

}  // namespace

bool isRemoved(const fs::path& folder) {
    try {
        return !pathExists(folder / "job.json") && !entriesOf(folder.parent_path()).empty();
    } catch (const Error&) {
        return false;
    }
}

JobStatus statusOrDamage(const fs::path& folder) {
    try {
        return readJobStatus(folder);
    } catch (const Error& error) {
        JobStatus status;
        status.state = JobState::failed;
        status.message = error.message();
        status.code = error.code();
        return status;
    }
}

RemoteJob localJob(const fs::path& folder) {
    RemoteJob job;
    job.folder = folder;
    job.id = folder.string();
    job.way = DataWay::there;
    job.place = job.id;
    job.state = RemoteState::waiting;
    return job;
}

LocalHost::LocalHost(std::string program, std::chrono::milliseconds patience)
    : m_program(std::move(program)), m_patience(patience) {}

void LocalHost::start(RemoteJob& job, const std::vector<fs::path>& after,
                      const std::stop_token& stop) const {
    std::vector<std::string> words = {"sh", "-c", kStart, "sh", m_program, "worker", job.place};
    for (const fs::path& other : after)
        words.insert(words.end(), {"--after", other.string()});
    // Starting is not interrupted, because then it would be unknown whether the worker was started.
    const ProcessEnd started = runProcess({.words = std::move(words), .leavesGroup = true});
    if (started.code != 0)
        throwError<ResourceError>("The program {} could not be started. Press Resume to try again.",
                                  m_program);
    job.number = processOf(pidIn(started.output));
    job.state = RemoteState::waiting;
    job.message.clear();
    waitForWorker(job, stop);
}

bool LocalHost::poll(std::span<RemoteJob> jobs, const std::stop_token& stop) {
    for (RemoteJob& job : jobs) {
        if (stop.stop_requested()) throw Cancelled();
        lookAt(job);
        if (hasEnded(job.state)) m_endings.erase(job.folder);
    }
    return false;
}

void LocalHost::lookAt(RemoteJob& job) {
    const auto ending = m_endings.find(job.folder);
    const bool isToEnd = ending != m_endings.end();
    if (!pathExists(job.folder / "job.json")) {
        // A disk may come back, but cancelling does not wait for it.
        const bool isGone = isRemoved(job.folder);
        if (isGone || isToEnd) job.state = RemoteState::gone;
        return;
    }
    JobStatus status = statusOrDamage(job.folder);
    const int own = workerOf(job);
    if (isToEnd) {
        if (const int worker = status.workerPid.value_or(own); worker > 0)
            return end(worker, ending->second);
        if (status.state != JobState::done && status.state != JobState::cancelled) {
            markCancelled(job.folder);
            status = statusOrDamage(job.folder);
        }
    }
    // The folder then shows the state of an earlier run, or the worker is just ending.
    const bool isEnd = status.state == JobState::failed || status.state == JobState::cancelled;
    if (isEnd && (status.workerPid || own > 0)) return;
    job.state = remoteState(status.state);
    job.message = status.message;
}

// Ends the worker that holds the job.
void LocalHost::end(int worker, Ending& ending) const {
    // This program itself holds a job briefly when it creates or marks it.
    if (worker == ::getpid()) return;
    const auto now = std::chrono::steady_clock::now();
    if (worker != ending.askedPid) {
        // Only once, because a second signal makes it end without cleaning up.
        ::kill(worker, SIGTERM);
        ending = {worker, now, false};
    } else if (!ending.isKilled && now - ending.askedAt > m_patience) {
        ::kill(worker, SIGKILL);
        ending.isKilled = true;
    }
}

void LocalHost::cancel(const RemoteJob& job, const std::stop_token& /*stop*/) {
    m_endings.try_emplace(job.folder);
}

}  // namespace gantry
