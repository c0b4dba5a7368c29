#include "core/remote/scheduler/host_check.h"

#include <fmt/format.h>

#include <chrono>

#include "core/base/error.h"
#include "core/remote/host/shell_text.h"
#include "core/remote/scheduler/batch_script.h"
#include "core/remote/scheduler/batch_system.h"
#include "core/remote/shell/host_shell.h"

namespace gantry {

namespace {

// Scripts of two jobs come on the input: the largest one, and a short one that runs.
constexpr const char* kScriptBegin = R"sh(IFS= read -r largest
IFS= read -r short
one() { head -n 1 | head -c 300; }
line() { tr '\n' ' ' | head -c 400; }
for t in cksum head tail find df setsid timeout mktemp; do
  command -v "$t" >/dev/null 2>&1 || echo "lacks $t"
done
echo "asked tools"
check=
if mkdir -p "$scratch" 2>/dev/null && cd "$scratch" && check=$(mktemp -d "$PWD/.check-XXXXXX"); then
  trap 'rm -rf "$check"' EXIT
  trap 'exit 1' HUP INT TERM PIPE
  echo "scratch $(pwd)"; set -- $(df -Pk . | tail -n 1); echo "free $4"
fi
echo "asked scratch"
)sh";

// Submits the short job, unless it would be refused or never begin, and waits for it. It writes the
// file `begun` at its start and `ended` with its code; takes and submit are functions, and cancel
// the command that takes a job back.
constexpr const char* kTry = R"sh(
answer=$(takes "$check")
case $answer in
takes) answer=$(submit "$check" gantry-check job.sh 2>&1);;
*) answer=${answer#refuses };;
esac
number=$(printf '%s\n' "$answer" | sed -n 's/^\([0-9][0-9]*\)$/\1/p')
case $number in
'') echo "untaken $(printf '%s' "$answer" | line)";;
*)
  trap 'timeout 60 "$cancel" "$number" >/dev/null 2>&1; rm -rf "$check"' EXIT
  n=0
  while ! [ -e "$check/ended" ] && [ "$n" -lt 60 ]; do sleep 1; n=$((n + 1)); echo "waited $n"; done
  if [ -e "$check/ended" ]; then
    trap 'rm -rf "$check"' EXIT
    echo "code $(cat "$check/ended")"
    output <"$check/output.txt"
  elif [ -e "$check/begun" ]; then echo hangs
  else echo waits; fi;;
esac
)sh";

constexpr const char* kOutput = R"sh(output() {
  o=$(head -c 20000 | grep -v -e '^-*$' | tail -n 40)
  printf '%s\n' "$o" | sed -n 's/^\([0-9][0-9]* ranks* on .*\)/saw \1/p' | one
  echo "said $(printf '%s\n' "$o" | { grep -e 'gantry:' || printf '%s\n' "$o"; } | head -n 3 | line)"
}
)sh";

// $@: its commands
constexpr const char* kQueue = R"sh(echo "queue $("$1" --version 2>&1 | one)"
for t; do
  command -v "$t" >/dev/null 2>&1 || echo "without $t"
done
if s=$(partitions 2>&1); then printf '%s\n' "$s" | head -n 50 | sed -n 's/^./partition &/p'
else echo "down $(printf '%s\n' "$s" | one)"; fi
echo 'asked queue'
)sh";

constexpr const char* kTakes = R"sh(takes() {
  if t=$(tryTaking "$1" 2>&1); then echo takes
  else echo "refuses $(printf '%s' "$t" | line)"; fi
}
)sh";

// Whether the scheduler answers, would take a job, and starts ranks that see each other.
std::string queueScript(const Host& host) {
    const BatchSystem& queue = batchSystem(host.scheduler);
    const std::string launcher = launcherWords(host, trialJob(host));
    const std::string first = launcher.substr(0, launcher.find(' '));
    std::string script = fmt::format("set -- {}\npartitions() {{\n{}\n}}\n{}", queue.tools,
                                     queue.partitions, kQueue);
    script +=
        first == "srun"
            ? R"sh(command -v srun >/dev/null && echo "mpi srun by $(srun --mpi=list 2>&1 | grep -vi 'types are\|available' | sed 's/^srun: *//' | tr -s ' \t\n' ' ' | sed 's/^ //' | head -c 300)"
)sh"
            : fmt::format("command -v {0} >/dev/null && echo mpi {0}\n", first);
    script += "echo 'asked mpi'\n";
    if (host.scheduler == Scheduler::slurm) script += "echo 'asked gpus'\n";
    script += fmt::format(
        "if [ -n \"$check\" ]; then\ntryTaking() {{\n{}\n}}\n{}printf '%b' \"$largest\" "
        ">\"$check/job.sh\"\ntakes \"$check\"\necho 'asked job'\n",
        queue.tryTaking, kTakes);
    script += fmt::format(
        "printf '%b' \"$short\" >\"$check/job.sh\"\nsubmit() (\n{}\n)\ncancel={}\n{}{}"
        "echo 'asked ranks'\nfi\n",
        queue.submit, queue.cancel, kOutput, kTry);
    return script;
}

std::string checkScript(const Host& host) {
    std::string script = fmt::format("echo 'asked reach'\n{}", setupLines(host));
    script += fmt::format("scratch={}\n{}", placeWord(host.scratch), kScriptBegin);
    script += fmt::format("echo \"version $({} --version 2>&1 | one)\"; echo 'asked version'\n",
                          gantryWords(host));
    script += fmt::format(
        "if {} reconstruct --help 2>/dev/null | grep -q -e --ranks; then echo 'ranks yes'; fi\n",
        gantryWords(host));
    if (host.hasQueue()) {
        script += queueScript(host);
    } else {
        script +=
            "echo \"mpi $(mpirun --version 2>/dev/null | one)\"\necho 'asked mpi'\n"
            "echo \"gpus $(nvidia-smi -L 2>/dev/null | grep -c GPU)\"\necho 'asked gpus'\n";
        if (host.hasRanks())
            script += fmt::format(
                "{}t=$(timeout 25 {} devices --ranks 2 2>&1)\necho \"code $?\"\n"
                "printf '%s\\n' \"$t\" | output\necho 'asked ranks'\n",
                kOutput, gantryWords(host));
    }
    script += "echo \"clock $(date +%s)\"\necho 'asked clock'\n";
    return script;
}

}  // namespace

std::vector<HostFinding> checkHost(const Host& host,
                                   const std::function<void(const HostFinding&)>& found,
                                   const std::stop_token& stop) {
    constexpr std::size_t kMaxBytes = 1'000'000;
    std::string printed;
    std::vector<HostFinding> findings;
    const auto add = [&](const HostFinding& finding) {
        findings.push_back(finding);
        if (found) found(finding);
    };
    const auto read = [&](std::span<const std::byte> bytes) {
        if (printed.size() + bytes.size() > kMaxBytes)
            throw ResourceError("It prints without end. Look at what its login files print.");
        printed.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        const double seconds = std::chrono::duration<double>(now).count();
        const std::vector<HostFinding> known = findingsIn(host, printed, seconds);
        for (std::size_t i = findings.size(); i < known.size(); ++i)
            add(known[i]);
    };
    try {
        std::string input = octalText(batchScript(host, largestJob(host), "check")) + "\n" +
                            octalText(batchScript(host, trialJob(host), "check", "devices")) + "\n";
        const ShellAnswer end = HostShell(host).run({.script = checkScript(host),
                                                     .input = inputOf(std::move(input)),
                                                     .output = read,
                                                     .maxSeconds = 600},
                                                    stop);
        if (printed.find("\nasked clock") == std::string::npos)
            add({"shell", false, "ended too early: " + end.complaints,
                 "See what prepares Gantry there in the host's file (start, environment)."});
    } catch (const Cancelled&) {
        throw;
    } catch (const ResourceError& error) {
        const std::string where = host.isHere() ? "this machine" : host.address;
        add({findings.empty() ? "reached" : "connection", false, where, error.message()});
    }
    return findings;
}

}  // namespace gantry
