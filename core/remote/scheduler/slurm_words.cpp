#include "core/remote/scheduler/slurm_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <sstream>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/job/event_line.h"
#include "core/remote/host/shell_text.h"

namespace gantry {

namespace {

constexpr std::size_t kMaxJobs = 100'000;

// $mine gets a line "number|state|..." for each job that squeue lists. A controller that does not
// answer must not block this.
constexpr const char* kQuestion = R"sh(
mine=$(timeout 15 squeue --states=all -h -u "$(id -u)" -o '%i|%T|%r|%S|%N' 2>&1)
code=$?
echo "squeue $code"
if [ "$code" != 0 ]; then printf '%s\n' "$mine" | head -n 1 | head -c 500; exit 0; fi
printf '%s\n' "$mine"
echo "pending"
case $mine in *'|PENDING|'*) timeout 15 squeue -h --states=PD --sort=-p,i -o '%i' 2>/dev/null;; esac
echo "sacct"
forgotten=
for i in $numbers; do
  case "
$mine" in *"
$i|"*) ;; *) forgotten="$forgotten,$i";; esac
done
if [ -n "$forgotten" ]; then
  timeout 15 sacct -n -P -X -o JobID,State,NodeList -j "${forgotten#,}" 2>/dev/null
fi
exit 0)sh";

std::vector<std::string> partsOf(const std::string& line) {
    std::vector<std::string> parts;
    std::istringstream stream(line);
    for (std::string part; std::getline(stream, part, '|');)
        parts.push_back(shownText(part, 300));
    return parts;
}

bool isNumber(const std::string& text) {
    return !text.empty() && text.size() < 20 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// "CANCELLED by 1000"
std::string firstWord(const std::string& text) {
    return text.substr(0, text.find(' '));
}

void takeSqueue(const std::string& line, SlurmNews& news) {
    std::vector<std::string> parts = partsOf(line);
    parts.resize(5);
    if (isNumber(parts[0]) && news.jobs.size() < kMaxJobs)
        news.jobs[parts[0]] = {firstWord(parts[1]), parts[2], parts[3], parts[4]};
}

void takeSacct(const std::string& line, SlurmNews& news) {
    std::vector<std::string> parts = partsOf(line);
    parts.resize(3);
    if (isNumber(parts[0]) && !news.jobs.contains(parts[0]) && news.jobs.size() < kMaxJobs)
        news.jobs[parts[0]] = {firstWord(parts[1]), {}, {}, parts[2]};
}

struct EndWords {
    const char* state;
    RemoteState means;
    const char* words;
};
constexpr EndWords kEnds[] = {
    {"TIMEOUT", RemoteState::stopped, "ended: time limit"},
    {"DEADLINE", RemoteState::stopped, "ended: its deadline has passed"},
    {"PREEMPTED", RemoteState::stopped, "ended: another job was given its nodes"},
    {"NODE_FAIL", RemoteState::stopped, "ended: a node failed"},
    {"BOOT_FAIL", RemoteState::stopped, "ended: a node did not start"},
    {"OUT_OF_MEMORY", RemoteState::failed,
     "ended: a node has too little memory; ask for more "
     "nodes, or set a limit by --memory"},
    {"CANCELLED", RemoteState::cancelled, "was cancelled"},
    {"REVOKED", RemoteState::cancelled, "was cancelled"},
};

const EndWords* endOf(const std::string& state) {
    const auto* found = std::find_if(std::begin(kEnds), std::end(kEnds),
                                     [&](const EndWords& end) { return state == end.state; });
    return found == std::end(kEnds) ? nullptr : found;
}  // namespace

std::string limitOf(const RemoteJob& job) {
    return job.minutes > 0 ? fmt::format(" of {} min", job.minutes) : std::string();
}

std::string waitWords(const RemoteJob& job, const SlurmJob& slurm, int gpusPerNode) {
    std::string words = "waits in the queue";
    if (slurm.reason == "Resources" || slurm.reason == "Priority" || slurm.reason == "None")
        words = gpusPerNode > 0
                    ? fmt::format("waits for {} GPUs", job.nodes * gpusPerNode)
                    : fmt::format("waits for {} node{}", job.nodes, job.nodes == 1 ? "" : "s");
    if (slurm.place > 0) words += fmt::format(", place {}", slurm.place);
    const bool isUsual = slurm.reason == "Resources" || slurm.reason == "Priority" ||
                         slurm.reason == "None" || slurm.reason.empty();
    if (!isUsual) words += fmt::format(" (Slurm's reason: {})", slurm.reason);
    if (slurm.start.find('T') != std::string::npos)
        words += fmt::format(", expected to start at {} of the host's clock", slurm.start);
    return words;
}

// The job ended without its script reporting it, or Slurm ended it.
void settleByEnd(RemoteJob& job, const SlurmJob& slurm, const LogEnd& says) {
    if (const EndWords* end = endOf(slurm.state)) {
        job.state = end->means;
        job.message = end->words;
        if (slurm.state == "TIMEOUT") job.message += limitOf(job);
        if (slurm.state == "NODE_FAIL" && !slurm.nodes.empty())
            job.message += fmt::format(" (of {})", slurm.nodes);
        return;
    }
    job.state = RemoteState::failed;
    job.message =
        says.message.empty()
            ? fmt::format("failed before Gantry began: see {}/output.txt on the host", job.place)
            : says.message;
}

}  // namespace

std::string slurmQuestion(const std::vector<std::string>& numbers) {
    return fmt::format("numbers='{}'\n{}", fmt::join(numbers, " "), kQuestion);
}

SlurmNews parseSlurmAnswer(std::string_view text) {
    SlurmNews news;
    std::istringstream lines{std::string(text)};
    std::string line;
    std::getline(lines, line);
    news.answers = line == "squeue 0";
    if (!news.answers) {
        std::getline(lines, line);
        news.complaint = shownText(line);
        return news;
    }
    std::string part = "squeue";
    for (int place = 1; std::getline(lines, line);) {
        if (line == "pending" || line == "sacct") {
            part = line;
        } else if (part == "squeue") {
            takeSqueue(line, news);
        } else if (part == "sacct") {
            takeSacct(line, news);
        } else if (const auto found = news.jobs.find(line); found != news.jobs.end()) {
            found->second.place = place++;
        } else {
            ++place;
        }
    }
    return news;
}

LogEnd endOfLog(const RemoteJob& job) {
    const std::filesystem::path path = job.folder / "events.jsonl";
    LogEnd says;
    if (!pathExists(path)) return says;
    constexpr Index kWindowBytes = 256'000;
    const File file(path, File::Mode::read);
    const Index begin = std::max<Index>(0, file.sizeBytes() - kWindowBytes);
    std::string text(static_cast<std::size_t>(file.sizeBytes() - begin), '\0');
    file.readAt(begin, std::as_writable_bytes(std::span(text)));
    text.resize(text.rfind('\n') + 1);
    EventNews news;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        takeEventLine(line, news);  // the first line, which is cut off, is skipped
    says.state = news.state ? std::string(name(*news.state)) : "running";
    says.message = shownText(news.stateMessage, 1000);
    if (news.progress) says.fraction = news.progress->fraction;
    return says;
}

void settleByCode(RemoteJob& job, const JobTraces& traces, const LogEnd& says) {
    const int code = *traces.ended;
    constexpr int kCancelled = 130;
    constexpr int kTerminated = 128 + SIGTERM;  // before the worker could handle the signal
    if (code == 0) {
        job.state = RemoteState::done;
        job.message = "done";
    } else if (code == kCancelled || code == kTerminated || says.state == "cancelled") {
        job.state = RemoteState::cancelled;
        job.message = "was cancelled";
    } else {
        job.state = RemoteState::failed;
        job.message = says.state == "failed" && !says.message.empty()
                          ? says.message
                          : fmt::format("ended with code {}; it said: {}", code,
                                        traces.lastOutput.empty() ? "nothing" : traces.lastOutput);
    }
}

void settleBySlurm(RemoteJob& job, const JobTraces& traces, const LogEnd& says,
                   const SlurmNews& slurm, int gpusPerNode) {
    const auto found = slurm.jobs.find(job.number);
    const bool isKnown = found != slurm.jobs.end();
    const std::string state = isKnown ? found->second.state : std::string();
    const bool isOver = isKnown && state != "PENDING" && state != "RUNNING" &&
                        state != "CONFIGURING" && state != "COMPLETING" && state != "SUSPENDED" &&
                        state != "REQUEUED" && state != "REQUEUE_HOLD" && state != "RESIZING" &&
                        state != "SIGNALING" && state != "STAGE_OUT" && state != "STOPPED";
    if (state == "PENDING" || state == "REQUEUED" || state == "REQUEUE_HOLD") {
        job.state = RemoteState::waiting;
        job.message = waitWords(job, found->second, gpusPerNode);
    } else if (traces.ended) {
        settleByCode(job, traces, says);
        const bool byHost = job.state != RemoteState::done && isOver && endOf(state);
        if (byHost) settleByEnd(job, found->second, says);
        if (job.state == RemoteState::cancelled && isKnown && !isOver) {
            job.state = RemoteState::running;  // Slurm has not given the reason yet
            job.message = "is ending";
        } else if (job.state == RemoteState::cancelled && !byHost) {
            // Nobody cancelled it: before ending a job, Slurm asks it to end.
            job.state = RemoteState::stopped;
            job.message = "ended: time limit" + limitOf(job) + ", or another job was preferred";
        }
    } else if (isOver) {
        settleByEnd(job, found->second, says);
    } else if (isKnown) {
        job.state = RemoteState::running;
        job.message = fmt::format("runs on {}", found->second.nodes);
        if (state == "SUSPENDED") job.message += ", suspended";
    } else if (!slurm.answers) {
        job.message = withFullStop("Slurm does not answer: " + slurm.complaint) +
                      " The job goes on where it had begun";
    } else {
        job.state = RemoteState::stopped;
        job.message = "ended, and Slurm does not know any more how";
    }
}

}  // namespace gantry
