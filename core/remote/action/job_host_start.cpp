// How jobs are put into a host's queue, or started, once, and ended: see JobHost::find(), submit()
// and cancel().
#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "core/base/throw_error.h"
#include "core/remote/action/job_host.h"
#include "core/remote/host/shell_text.h"
#include "core/remote/scheduler/batch_script.h"
#include "core/remote/scheduler/batch_system.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// $1: the job's folder; $2: its name; $3: its number, of a run that is known; empty: none is. One
// program at a time goes on from here. A queue knows the job by its name, and the folder the last
// number that was given: it has been given again where the answer did not arrive.
constexpr const char* kLook = R"sh(cd "$1" 2>/dev/null || exit 3
lock || exit 4
look() {
  active=$(cd ../.. && activeJobs) || exit 5
  n=$(printf '%s\n' "$active" | while read -r i name; do
    if [ "$name" = "$1" ]; then echo "$i"; break; fi
  done)
  for f in number begun; do
    if [ -z "$n" ] && [ -r "$f" ]; then
      read -r n rest <"$f"
      if [ "$n" = "$2" ]; then n=; fi
    fi
  done
  if [ -n "$n" ]; then echo "$n" >number; echo "number $n"; exit 0; fi
}
look "$2" "$3"
)sh";

// Takes a job's request and script, which come as input.
constexpr const char* kTake = R"sh(take() {
  IFS= read -r w && printf '%b' "$w" >"$1/job/job.json.new" &&
    mv "$1/job/job.json.new" "$1/job/job.json" || exit 3
  IFS= read -r w && printf '%b' "$w" >"$1/job.sh" || exit 3
}
)sh";

// $4: 1 if the request and the script come as input.
constexpr const char* kSubmission = R"sh(if [ "$4" = 1 ]; then take .; fi
rm -f ended begun fetched cancelled
n=$(start "$1" "$2" job.sh)
code=$?
if [ "$code" = 0 ]; then echo "$n" >number; echo "number $n"; else look "$2" "$3"; fi
exit "$code")sh";

// $1, $2: of the first job of the array; $4: how many it has; $5: their numbers, for printf. Their
// requests and scripts come as input, and then the array's script.
constexpr const char* kArray = R"sh(base=${1%-1}
k=1
while [ "$k" -le "$4" ]; do take "$base-$k"; k=$((k + 1)); done
IFS= read -r w && printf '%b' "$w" >array.sh || exit 3
n=$(start "$1" "${2%-1}" array.sh)
code=$?
if [ "$code" != 0 ]; then look "$2" ""; exit "$code"; fi
k=1
while [ "$k" -le "$4" ]; do
  e=$(printf "$5" "$n" "$k")
  echo "$e" >"$base-$k/number"
  echo "number $e"
  k=$((k + 1))
done)sh";

// The numbers that a host has given jobs, in their order.
std::vector<std::string> numbersIn(const std::string& output) {
    constexpr std::string_view kKey = "number ";
    std::vector<std::string> numbers;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(kKey) && isJobNumber(line.substr(kKey.size())))
            numbers.push_back(line.substr(kKey.size()));
    return numbers;
}

void takeNumber(RemoteJob& job, const std::string& number) {
    job.number = number;
    job.state = RemoteState::waiting;
    job.message = "was handed over";
    job.isFetched = false;
}

std::string inputFor(const HandOver& over) {
    return octalText(over.request) + "\n" + octalText(over.script) + "\n";
}

[[noreturn]] void failToSubmit(const HostShell& shell, const ShellAnswer& answer) {
    throwError<InputError>(
        "{} did not take the job: {}. Nothing is lost: correct that, and do the same again.",
        shell.hostName(), answer.complaints.empty() ? shownText(answer.output) : answer.complaints);
}

// What a scheduler calls the job.
std::string nameThere(const RemoteJob& job) {
    return fmt::format("gantry-{}", fs::path(job.place).filename().string());
}

// The shell function lock: one program at a time starts or ends the job. Those of an array share a
// lock, as they are started together. Called in the job's folder.
std::string lockFunction(const RemoteJob& job) {
    const std::string file = job.array.empty() ? "lock" : fmt::format("../{}.lock", job.array);
    return fmt::format(
        "lock() {{ if command -v flock >/dev/null; then exec 9>>{}; flock -w 20 9; fi; }}\n",
        shellWord(file));
}

std::string submissionScript(const Host& host, const RemoteJob& job, const char* what) {
    return fmt::format("{}{}start() {{\n{}\n}}\n{}{}{}", activeJobsFunction(host),
                       lockFunction(job), batchSystem(host.scheduler).submit, kLook, kTake, what);
}

}  // namespace

bool JobHost::find(RemoteJob& job, const std::stop_token& stop) const {
    const ShellAnswer answer =
        m_shell.run({.script = activeJobsFunction(host()) + lockFunction(job) + kLook,
                     .arguments = {job.place, nameThere(job), job.number}},
                    stop);
    constexpr int kNoFolder = 3;
    if (answer.code != 0 && answer.code != kNoFolder)
        throwError<ResourceError>(
            "{} does not say whether it has the job {}: {}. Nothing was started; try again.",
            m_shell.hostName(), job.id, answer.complaints);
    const std::vector<std::string> numbers = numbersIn(answer.output);
    if (!numbers.empty()) takeNumber(job, numbers.front());
    return !numbers.empty();
}

void JobHost::submit(std::span<HandOver> jobs, const std::stop_token& stop) const {
    if (jobs.size() > 1 && host().hasQueue()) return submitArray(jobs, stop);
    for (HandOver& each : jobs)
        if (each.job.state == RemoteState::preparing) submitOne(each, stop);
}

void JobHost::submitOne(HandOver& over, const std::stop_token& stop) const {
    RemoteJob& job = over.job;
    const bool isStaged = !over.request.empty();
    const ShellAnswer answer =
        m_shell.run({.script = submissionScript(host(), job, kSubmission),
                     .arguments = {job.place, nameThere(job), job.number, isStaged ? "1" : "0"},
                     .input = inputOf(isStaged ? inputFor(over) : std::string())},
                    stop);
    const std::vector<std::string> numbers = numbersIn(answer.output);
    if (answer.code != 0 || numbers.empty()) failToSubmit(m_shell, answer);
    takeNumber(job, numbers.front());
}

void JobHost::submitArray(std::span<HandOver> jobs, const std::stop_token& stop) const {
    const RemoteJob& first = jobs.front().job;
    const int count = static_cast<int>(jobs.size());
    std::string input;
    for (const HandOver& each : jobs)
        input += inputFor(each);
    input += octalText(arrayScript(host(), jobs.front().script, first.array, count)) + "\n";
    const ShellAnswer answer =
        m_shell.run({.script = submissionScript(host(), first, kArray),
                     .arguments = {first.place, nameThere(first), "", std::to_string(count),
                                   std::string(batchSystem(host().scheduler).element)},
                     .input = inputOf(std::move(input))},
                    stop);
    const std::vector<std::string> numbers = numbersIn(answer.output);
    if (answer.code != 0 || numbers.empty()) failToSubmit(m_shell, answer);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        // If an earlier answer was lost, the host tells the first one's number alone.
        if (i < numbers.size())
            takeNumber(jobs[i].job, numbers[i]);
        else if (!find(jobs[i].job, stop))
            failToSubmit(m_shell, answer);
    }
}

void JobHost::cancel(const RemoteJob& job, const std::stop_token& stop) {
    if (job.place.empty()) return;
    const BatchSystem& system = batchSystem(host().scheduler);
    const ShellAnswer answer = m_shell.run(
        {.script = fmt::format("{}{}{}", activeJobsFunction(host()), lockFunction(job), system.end),
         .arguments = {job.place, nameThere(job), job.number, std::string(system.cancel)}},
        stop);
    if (answer.code != 0)
        throwError<ResourceError>("{}: {} did not cancel the job {}: {}. Try again.",
                                  m_shell.hostName(), system.name, job.id, answer.complaints);
}

}  // namespace gantry
