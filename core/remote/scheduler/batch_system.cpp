#include "core/remote/scheduler/batch_system.h"

#include <fmt/format.h>

#include <array>
#include <csignal>

#include "core/base/text.h"
#include "core/remote/host/shell_text.h"
#include "core/remote/scheduler/batch_script.h"

namespace gantry {

namespace {

struct EndWords {
    RemoteState means;
    const char* words;
};

// By QueueEnd.
constexpr std::array<EndWords, 8> kEnds = {{
    {RemoteState::failed, ""},
    {RemoteState::stopped, "ended: time limit"},
    {RemoteState::stopped, "ended: its deadline has passed"},
    {RemoteState::stopped, "ended: another job was given its nodes"},
    {RemoteState::stopped, "ended: a node failed"},
    {RemoteState::stopped, "ended: a node did not start"},
    {RemoteState::failed,
     "ended: a node has too little memory for it; ask for more (memoryPerNode in the host's file) "
     "or for more nodes, or set a limit by --memory"},
    {RemoteState::cancelled, "was cancelled"},
}};

// A host's words, as those of the scheduler.
std::string shownMessage(const LogEnd& says) {
    return shownText(says.message, 1000);
}

std::string limitOf(const RemoteJob& job) {
    return job.minutes > 0 ? fmt::format(" of {} min", job.minutes) : std::string();
}

std::string waitWords(const RemoteJob& job, const QueueJob& queued, const Host& host) {
    std::string words = "waits in the queue";
    if (queued.reason.empty())
        words = host.gpusPerNode > 0
                    ? fmt::format("waits for {} GPUs", job.nodes * host.gpusPerNode)
                    : fmt::format("waits for {} node{}", job.nodes, job.nodes == 1 ? "" : "s");
    if (queued.place > 0) words += fmt::format(", place {}", queued.place);
    if (!queued.reason.empty())
        words += fmt::format(" ({}'s reason: {})", batchSystem(host.scheduler).name, queued.reason);
    if (!queued.start.empty())
        words += fmt::format(", expected to start at {} of the host's clock", queued.start);
    return words;
}

// The job ended without its script reporting it, or the scheduler ended it.
void settleByEnd(RemoteJob& job, const QueueJob& queued, const LogEnd& says) {
    const EndWords& end = kEnds.at(static_cast<std::size_t>(queued.end));
    job.state = end.means;
    job.message = end.words;
    if (queued.end == QueueEnd::timeLimit) job.message += limitOf(job);
    if (queued.end == QueueEnd::nodeFailed && !queued.nodes.empty())
        job.message += fmt::format(" (of {})", queued.nodes);
    if (queued.end != QueueEnd::byItself) return;
    job.message =
        says.message.empty()
            ? fmt::format("failed before Gantry began: see {}/output.txt on the host", job.place)
            : shownMessage(says);
}

// queued: null where the scheduler does not know the job
void settleByScript(RemoteJob& job, const JobTraces& traces, const LogEnd& says,
                    const QueueJob* queued) {
    settleByCode(job, traces, says);
    const bool isOver = queued && queued->state == QueueJob::State::ended;
    const bool byHost =
        job.state != RemoteState::done && isOver && queued->end != QueueEnd::byItself;
    if (byHost) settleByEnd(job, *queued, says);
    if (job.state != RemoteState::cancelled || byHost) return;
    if (queued && !isOver) {
        job.state = RemoteState::running;  // the scheduler has not given the reason yet
        job.message = "is ending";
    } else {
        // Nobody cancelled it: before ending a job, a scheduler asks it to end.
        job.state = RemoteState::stopped;
        job.message =
            fmt::format("ended: time limit{}, or another job was preferred", limitOf(job));
    }
}

}  // namespace

// By its name, as its number may not be known. A start that is under way is waited for. What has
// ended meanwhile is no failure.
const std::string_view kEndQueued = R"sh(set -f
if cd "$1" 2>/dev/null; then
  lock
  [ -e ended ] || touch cancelled 2>/dev/null
fi
fail() { printf '%s\n' "$1" >&2; rm -f "$place/cancelled"; exit 5; }
place=$1
active=$(activeJobs) || fail
for n in $(printf '%s\n' "$active" | awk -v name="$2" '$2 == name {print $1}') $3; do
  e=$(timeout 60 "$4" "$n" 2>&1) && continue
  case $e in *finished*|*already*|*nknown*|*nvalid\ job*) ;; *) fail "$e";; esac
done)sh";

const BatchSystem& batchSystem(Scheduler scheduler) {
    if (scheduler == Scheduler::none) return kDetached;
    return scheduler == Scheduler::pbs ? kPbs : kSlurm;
}

std::string queueLines(const Host& host) {
    if (!host.hasQueue()) return {};
    const std::string more = moduleLines(host);
    if (more.empty()) return variableLines(host);
    return fmt::format("{}{{\n{}}} >/dev/null 2>&1\n", variableLines(host), more);
}

std::string activeJobsFunction(const Host& host) {
    return fmt::format("{}activeJobs() {{\n{}}}\n", queueLines(host),
                       batchSystem(host.scheduler).active);
}

void settleByCode(RemoteJob& job, const JobTraces& traces, const LogEnd& says) {
    const int code = *traces.ended;
    constexpr int kCancelled = 130;
    constexpr int kTerminated = 128 + SIGTERM;  // before the worker could handle the signal
    if (code == 0) {
        job.state = RemoteState::done;
        job.message = "done";
    } else if (code == kCancelled || code == kTerminated || says.state == JobState::cancelled) {
        job.state = RemoteState::cancelled;
        job.message = "was cancelled";
    } else {
        job.state = RemoteState::failed;
        job.message = says.state == JobState::failed && !says.message.empty()
                          ? shownMessage(says)
                          : fmt::format("ended with code {}; it said: {}", code,
                                        traces.lastOutput.empty() ? "nothing" : traces.lastOutput);
    }
}

void settleByQueue(RemoteJob& job, const JobTraces& traces, const LogEnd& says,
                   const QueueNews& news, const Host& host) {
    using enum QueueJob::State;
    const auto found = news.jobs.find(job.number);
    const QueueJob* queued = found == news.jobs.end() ? nullptr : &found->second;
    const std::string_view name = batchSystem(host.scheduler).name;
    if (queued && queued->state == waiting) {
        job.state = RemoteState::waiting;
        job.message = waitWords(job, *queued, host);
    } else if (traces.ended) {
        settleByScript(job, traces, says, queued);
    } else if (queued && queued->state == ended) {
        settleByEnd(job, *queued, says);
    } else if (queued) {
        job.state = RemoteState::running;
        job.message = fmt::format("runs on {}", queued->nodes);
        if (queued->state == suspended) job.message += ", suspended";
    } else if (!news.answers) {
        job.message = withFullStop(fmt::format("{} does not answer: {}", name, news.complaint)) +
                      " The job goes on where it had begun";
    } else {
        job.state = RemoteState::stopped;
        job.message = fmt::format("ended, and {} does not know any more how", name);
    }
}

QueueNews answerOf(std::istream& lines, std::string_view good) {
    QueueNews news;
    std::string line;
    std::getline(lines, line);
    news.answers = line == good;
    if (news.answers) return news;
    std::getline(lines, line);
    news.complaint = shownText(line);
    return news;
}

std::string memoryOf(const Host& host, const JobResources& resources) {
    if (host.memoryPerNode == "none") return {};
    if (!host.memoryPerNode.empty()) return host.memoryPerNode;
    return resources.memoryBytes > 0 ? fmt::format("{}M", resources.memoryMb()) : std::string();
}

void addLine(std::string& script, std::string_view prefix, std::string_view value) {
    if (!value.empty()) script += fmt::format("{}{}\n", prefix, value);
}

void addOptions(std::string& script, std::string_view prefix, const Host& host) {
    for (const std::string& option : host.options)
        addLine(script, prefix, option);
}

}  // namespace gantry
