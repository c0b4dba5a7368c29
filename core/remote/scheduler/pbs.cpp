#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "core/base/text.h"
#include "core/remote/host/shell_text.h"
#include "core/remote/scheduler/batch_system.h"

namespace gantry {

namespace pbs {
namespace {

constexpr std::size_t kMaxJobs = 100'000;

// Some servers keep no history of jobs, and refuse -x. qstat folds long lines and begins what
// follows by a tab. A number such as 12[3] is no pattern of names.
constexpr const char* kQuestion = R"sh(
set -f
[ -n "$numbers" ] || { echo "qstat 0"; exit 0; }
for x in -x ''; do
  news=$(timeout 15 qstat $x -f $numbers 2>&1)
  code=$?
  case $news in *'Job Id:'*|*'nknown Job'*|*finished*) code=0; break;; esac
done
echo "qstat $code"
if [ "$code" != 0 ]; then printf '%s\n' "$news" | head -n 1 | head -c 500; exit 0; fi
printf '%s\n' "$news" | awk '
  /^\t/ { sub(/^\t/, ""); line = line $0; next }
  { if (line ~ wanted) print line; line = $0 }
  END { if (line ~ wanted) print line }
' wanted='^Job Id:|^ *(job_state|comment|exec_host|Exit_status|(resources_used|Resource_List).walltime|estimated.start_time) ='
exit 0)sh";

// The number of "12.server".
constexpr const char* kSubmit = R"(n=$(cd "$1" && timeout 60 qsub -N "$2" "$3") || return 5
echo "${n%%[!0-9]*}")";

// qstat cuts the names of jobs but with -f. Exiting jobs are past their end. An array is listed as
// 12[].server, and then each of its jobs, with its name.
constexpr const char* kActive = R"sh(queue=$(timeout 60 qselect -u "$(id -un)") || return 5
[ -n "$queue" ] || return 0
set -f
timeout 60 qstat -t -f $queue 2>/dev/null | awk '
  /^Job Id:/ { id = $3; sub(/[.].*/, "", id) }
  id ~ /\[\]/ { next }
  $1 == "Job_Name" { name = $3; if (split(id, n, /[][]/) > 1) name = name "-" n[2] }
  $1 == "job_state" && $3 !~ /[EFCX]/ && name ~ /^gantry-/ { print id, name }'
)sh";

constexpr const char* kPartitions = R"sh(queues=$(timeout 15 qstat -Qf) || return 5
printf '%s\n' "$queues" | awk '
  /^Queue:/ { if (name) print name "|" state; name = $2; state = "up" }
  /(enabled|started) = False/ { state = "closed" }
  END { if (name) print name "|" state }')sh";

// A job that is held is checked as any other and never runs.
constexpr const char* kTryTaking = R"sh(n=$(cd "$1" && timeout 25 qsub -h job.sh) || return 5
timeout 60 qdel "${n%%[!0-9]*}" || return 0)sh";

// "02:30:00"; -1: it is no such text
Index secondsOf(std::string_view text) {
    Index seconds = 0;
    for (int part = 0; part < 3; ++part) {
        Index number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        constexpr Index kMax = 1'000'000;
        if (error != std::errc() || number < 0 || number > kMax) return -1;
        seconds = 60 * seconds + number;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (text.empty()) return part == 2 ? seconds : -1;
        if (text.front() != ':') return -1;
        text.remove_prefix(1);
    }
    return -1;
}

using Attributes = std::map<std::string, std::string>;

std::string valueOf(const Attributes& attributes, const std::string& name) {
    const auto found = attributes.find(name);
    return found == attributes.end() ? std::string() : found->second;
}

// PBS reports 256 + the signal that ended the script; negative numbers are reasons of its own.
QueueEnd endOf(const Attributes& attributes) {
    const std::string status = valueOf(attributes, "Exit_status");
    const Index used = secondsOf(valueOf(attributes, "resources_used.walltime"));
    const Index limit = secondsOf(valueOf(attributes, "Resource_List.walltime"));
    // PBS may state no more of one in an array that has ended before the others.
    if (status.empty() && valueOf(attributes, "job_state") == "X") return QueueEnd::byItself;
    const auto is = [&](std::initializer_list<std::string_view> codes) {
        return std::find(codes.begin(), codes.end(), status) != codes.end();
    };
    if (is({"-29"})) return QueueEnd::timeLimit;
    if (is({"-26", "-27"})) return QueueEnd::memory;
    if (status.starts_with('-')) return QueueEnd::notStarted;
    // A script whose ranks were asked to end ends with their code, or is killed a little later.
    if (!status.empty() && !is({"130", "137", "143", "265", "271"})) return QueueEnd::byItself;
    return limit > 0 && used >= limit ? QueueEnd::timeLimit : QueueEnd::cancelled;
}

// "n1/0*2+n2/1*2"
std::string nodesIn(const std::string& hosts) {
    std::vector<std::string> nodes;
    std::istringstream parts(hosts);
    for (std::string part; std::getline(parts, part, '+');)
        nodes.push_back(part.substr(0, part.find('/')));
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return fmt::format("{}", fmt::join(nodes, ", "));
}

QueueJob jobOf(const Attributes& attributes) {
    QueueJob job;
    const std::string state = valueOf(attributes, "job_state");
    const std::string_view waits = "QHWT";
    if (state.size() == 1 && waits.find(state[0]) != std::string_view::npos)
        job.state = QueueJob::State::waiting;
    else if (state == "R" || state == "E" || state == "B")
        job.state = QueueJob::State::running;
    else if (state == "S" || state == "U")
        job.state = QueueJob::State::suspended;
    else
        job.state = QueueJob::State::ended;
    if (job.state == QueueJob::State::ended) job.end = endOf(attributes);
    job.nodes = nodesIn(valueOf(attributes, "exec_host"));
    job.start = valueOf(attributes, "estimated.start_time");
    constexpr std::string_view kNotRunning = "Not Running: ";
    job.reason = valueOf(attributes, "comment");
    if (job.reason.starts_with(kNotRunning)) job.reason.erase(0, kNotRunning.size());
    if (job.reason.starts_with("Insufficient amount of resource")) job.reason.clear();
    if (state == "H") job.reason = "held";
    return job;
}

std::string head(const Host& host, const JobResources& resources, const std::string& id) {
    std::string chunk = fmt::format("{}:ncpus={}:mpiprocs={}", resources.nodes,
                                    resources.ranksPerNode * std::max(1, resources.cpusPerRank),
                                    resources.ranksPerNode);
    if (host.gpusPerNode > 0) chunk += fmt::format(":ngpus={}", host.gpusPerNode);
    const std::string memory = memoryOf(host, resources);
    if (!memory.empty() && memory != "all") chunk += fmt::format(":mem={}b", inLowerCase(memory));
    if (!host.constraint.empty()) chunk += ":" + host.constraint;
    // Without -S the user's own shell would run it.
    std::string script = fmt::format(
        "#PBS -S /bin/sh\n#PBS -N gantry-{}\n#PBS -l select={}\n#PBS -l place=scatter{}\n", id,
        chunk, host.isExclusive ? ":excl" : "");
    if (resources.minutes > 0)
        addLine(script, "#PBS -l walltime=",
                fmt::format("{:02}:{:02}:00", resources.minutes / 60, resources.minutes % 60));
    addLine(script, "#PBS -q ", host.partition);
    addLine(script, "#PBS -A ", host.account);
    script += "#PBS -r y\n#PBS -j oe\n#PBS -o pbs.txt\n";
    addOptions(script, "#PBS ", host);
    return script;
}

// PBS starts it in the user's home, and keeps its output until the end.
std::string begin(const Host& /*host*/, const JobResources& /*resources*/) {
    return "cd \"$PBS_O_WORKDIR\" || exit 3\nexec >>output.txt 2>&1\n";
}

std::string array(const std::string& id, int count) {
    return fmt::format(
        "#PBS -J 1-{0}\ncd \"$PBS_O_WORKDIR/../{1}-$PBS_ARRAY_INDEX\" || exit 3\n"
        "export PBS_O_WORKDIR=\"$PWD\"\n",
        count, id);
}

QueueNews parse(std::string_view text) {
    std::istringstream lines{std::string(text)};
    QueueNews news = answerOf(lines, "qstat 0");
    if (!news.answers) return news;
    std::string line;
    constexpr std::string_view kJob = "Job Id: ";
    std::string number;
    Attributes attributes;
    const auto take = [&] {
        if (isJobNumber(number) && news.jobs.size() < kMaxJobs)
            news.jobs[number] = jobOf(attributes);
        attributes.clear();
    };
    while (std::getline(lines, line)) {
        if (line.starts_with(kJob)) {
            take();
            number = line.substr(kJob.size());
            number.resize(std::min(number.find('.'), number.size()));
        } else if (const std::size_t at = line.find(" = "); at != std::string::npos) {
            attributes[std::string(trimmed(line.substr(0, at)))] =
                shownText(line.substr(at + 3), 300);
        }
    }
    take();
    return news;
}

}  // namespace
}  // namespace pbs

const BatchSystem kPbs = {
    .name = "PBS",
    .submitter = "qsub",
    .launcher = "mpirun -n {ranks} -machinefile $PBS_NODEFILE",
    .head = pbs::head,
    .begin = pbs::begin,
    .begun = "echo \"${PBS_JOBID%%.*} 0 $(uniq \"$PBS_NODEFILE\" | tr '\\n' ' ')\" >begun\n",
    .prefix = "#PBS ",
    .array = pbs::array,
    .element = "%s[%d]",
    .submit = pbs::kSubmit,
    .active = pbs::kActive,
    .cancel = "qdel",
    .end = kEndQueued,
    .question = pbs::kQuestion,
    .parse = pbs::parse,
    .settle = settleByQueue,
    .tools = "qstat qsub qselect qdel",
    .partitions = pbs::kPartitions,
    .tryTaking = pbs::kTryTaking,
};

}  // namespace gantry
