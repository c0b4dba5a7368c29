#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/remote/host/shell_text.h"
#include "core/remote/scheduler/batch_system.h"

namespace gantry {

namespace slurm {
namespace {

constexpr std::size_t kMaxJobs = 100'000;

// squeue still lists jobs that have just ended; those that it has dropped are known by sacct, which
// may be disabled. $mine gets a line "number|state|..." for each job that squeue lists. A
// controller that does not answer must not block this.
constexpr const char* kQuestion = R"sh(
mine=$(timeout 15 squeue --states=all -h -r -u "$(id -u)" -o '%i|%T|%r|%S|%N' 2>&1)
code=$?
echo "squeue $code"
if [ "$code" != 0 ]; then printf '%s\n' "$mine" | head -n 1 | head -c 500; exit 0; fi
printf '%s\n' "$mine"
echo "pending"
case $mine in *'|PENDING|'*) timeout 15 squeue -h -r --states=PD --sort=-p,i -o '%i' 2>/dev/null;; esac
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

// The timeout limits waiting for a controller that does not answer; an answer may end with a
// cluster's name. An edited script cannot give the job another name, by which it is found.
constexpr const char* kSubmit =
    R"(n=$(timeout 60 sbatch --parsable --job-name="$2" --chdir="$1" "$1/$3") || return 5
echo "${n%%;*}")";

// A job that is completing is past its end, and may be started again. All jobs of an array have its
// name; each gets its own here.
constexpr const char* kActive =
    R"sh(queue=$(timeout 60 squeue -h -r -u "$(id -u)" -o '%i|%T|%j') || return 5
printf '%s\n' "$queue" | awk -F'|' '$2 != "COMPLETING" && $3 ~ /^gantry-/ {
  if (split($1, n, "_") > 1) $3 = $3 "-" n[2]
  print $1, $3 }'
)sh";

std::vector<std::string> partsOf(const std::string& line) {
    std::vector<std::string> parts;
    std::istringstream stream(line);
    for (std::string part; std::getline(stream, part, '|');)
        parts.push_back(shownText(part, 300));
    return parts;
}

struct StateWord {
    std::string_view state;
    QueueJob::State means;
    QueueEnd end = QueueEnd::byItself;
};
using enum QueueJob::State;
constexpr StateWord kStates[] = {
    {"PENDING", waiting},
    {"REQUEUED", waiting},
    {"REQUEUE_HOLD", waiting},
    {"RUNNING", running},
    {"CONFIGURING", running},
    {"COMPLETING", running},
    {"RESIZING", running},
    {"SIGNALING", running},
    {"STAGE_OUT", running},
    {"STOPPED", running},
    {"SUSPENDED", suspended},
    {"TIMEOUT", ended, QueueEnd::timeLimit},
    {"DEADLINE", ended, QueueEnd::deadline},
    {"PREEMPTED", ended, QueueEnd::preempted},
    {"NODE_FAIL", ended, QueueEnd::nodeFailed},
    {"BOOT_FAIL", ended, QueueEnd::notStarted},
    {"OUT_OF_MEMORY", ended, QueueEnd::memory},
    {"CANCELLED", ended, QueueEnd::cancelled},
    {"REVOKED", ended, QueueEnd::cancelled},
};

// "CANCELLED by 1000"; a state that is not listed is an end.
QueueJob jobIn(const std::string& text, const std::string& nodes) {
    QueueJob job;
    job.nodes = nodes;
    const std::string_view word = std::string_view(text).substr(0, text.find(' '));
    const auto* known = std::find_if(std::begin(kStates), std::end(kStates),
                                     [&](const StateWord& each) { return each.state == word; });
    job.state = known == std::end(kStates) ? ended : known->means;
    if (known != std::end(kStates)) job.end = known->end;
    return job;
}

void takeSqueue(const std::string& line, QueueNews& news) {
    std::vector<std::string> parts = partsOf(line);
    parts.resize(5);
    if (!isJobNumber(parts[0]) || news.jobs.size() >= kMaxJobs) return;
    QueueJob job = jobIn(parts[1], parts[4]);
    const std::string& reason = parts[2];
    const bool isUsual = reason == "Resources" || reason == "Priority" || reason == "None";
    if (!isUsual) job.reason = reason;
    if (parts[3].find('T') != std::string::npos) job.start = parts[3];
    news.jobs[parts[0]] = std::move(job);
}

void takeSacct(const std::string& line, QueueNews& news) {
    std::vector<std::string> parts = partsOf(line);
    parts.resize(3);
    if (isJobNumber(parts[0]) && !news.jobs.contains(parts[0]) && news.jobs.size() < kMaxJobs)
        news.jobs[parts[0]] = jobIn(parts[1], parts[2]);
}

std::string head(const Host& host, const JobResources& resources, const std::string& id) {
    std::string script;
    const auto add = [&](std::string_view name, std::string_view value) {
        addLine(script, fmt::format("#SBATCH --{}=", name), value);
    };
    const auto number = [&](std::string_view name, int value) {
        if (value > 0) add(name, std::to_string(value));
    };
    add("job-name", "gantry-" + id);
    number("nodes", resources.nodes);
    number("ntasks-per-node", resources.ranksPerNode);
    number("cpus-per-task", resources.cpusPerRank);
    const std::string memory = memoryOf(host, resources);
    add("mem", memory == "all" ? "0" : memory);
    if (host.gpusPerNode > 0)
        add("gpus-per-node",
            fmt::format("{}{}{}", host.gpuType, host.gpuType.empty() ? "" : ":", host.gpusPerNode));
    number("time", resources.minutes);
    add("partition", host.partition);
    add("account", host.account);
    add("qos", host.qos);
    add("reservation", host.reservation);
    add("licenses", host.licenses);
    add("constraint", host.constraint);
    if (host.isExclusive) script += "#SBATCH --exclusive\n";
    script += "#SBATCH --requeue\n#SBATCH --open-mode=append\n#SBATCH --output=output.txt\n";
    // Slurm counts whole minutes; for short jobs its own notice before the end must suffice.
    constexpr int kMinutesForNotice = 5;
    if (resources.minutes >= kMinutesForNotice)
        script +=
            "# The ranks are asked to end a minute before the limit: finished slabs are kept.\n"
            "#SBATCH --signal=TERM@60\n";
    addOptions(script, "#SBATCH ", host);
    return script;
}

std::string array(const std::string& id, int count) {
    return fmt::format(
        "#SBATCH --array=1-{0}\n#SBATCH --output=../{1}-%a/output.txt\n"
        "cd \"../{1}-$SLURM_ARRAY_TASK_ID\" || exit 3\n",
        count, id);
}

// srun does not take the number of processors from the job's own options.
std::string begin(const Host& host, const JobResources& resources) {
    if (resources.cpusPerRank > 0)
        return fmt::format("export SRUN_CPUS_PER_TASK={}\n", resources.cpusPerRank);
    if (!host.isExclusive) return {};
    return fmt::format("export SRUN_CPUS_PER_TASK=$((SLURM_CPUS_ON_NODE / {}))\n",
                       resources.ranksPerNode);
}

QueueNews parse(std::string_view text) {
    std::istringstream lines{std::string(text)};
    QueueNews news = answerOf(lines, "squeue 0");
    if (!news.answers) return news;
    std::string line;
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

}  // namespace
}  // namespace slurm

const BatchSystem kSlurm = {
    .name = "Slurm",
    .submitter = "sbatch",
    .launcher = "srun",
    .head = slurm::head,
    .begin = slurm::begin,
    .begun =
        "number=${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID}\n"
        "echo \"${number:-$SLURM_JOB_ID} ${SLURM_RESTART_COUNT:-0} $SLURM_JOB_NODELIST\" >begun\n",
    .prefix = "#SBATCH ",
    .array = slurm::array,
    .element = "%s_%d",
    .submit = slurm::kSubmit,
    .active = slurm::kActive,
    .cancel = "scancel",
    .end = kEndQueued,
    .question = slurm::kQuestion,
    .parse = slurm::parse,
    .settle = settleByQueue,
    .tools = "sbatch squeue scancel sinfo",
    .partitions = "timeout 15 sinfo -h -o '%P|%a|%D|%G|%l|%c|%m'",
    .tryTaking = R"(timeout 25 sbatch --test-only --chdir="$1" "$1/job.sh")",
};

}  // namespace gantry
