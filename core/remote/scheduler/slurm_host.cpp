#include "core/remote/scheduler/slurm_host.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/remote/scheduler/slurm_words.h"

namespace gantry {

namespace {

// The timeout limits waiting for a controller that does not answer; an answer may end with a
// cluster's name. An edited script cannot give the job another name, by which it is found.
constexpr const char* kSubmit =
    R"(n=$(timeout 60 sbatch --parsable --job-name="$2" --chdir="$1" "$1/job.sh") || return 5
echo "${n%%;*}")";

// Waits for the jobs that run or wait already, in order.
constexpr const char* kDetach = R"(set --
for d in ../*/; do
  if [ -r "$d/begun" ] && ! [ -e "$d/ended" ]; then
    read -r pid rest <"$d/begun"
    if [ "/proc/$pid/cwd" -ef "$d" ]; then set -- "$@" --after "$d/job"; fi
  fi
done
setsid sh ./job.sh "$@" >>output.txt 2>&1 </dev/null 9>&- &
n=0
while [ "$n" -lt 100 ] && ! [ -s begun ]; do sleep 0.1; n=$((n + 1)); done
read -r pid rest <begun && echo "$pid")";

// By its name, as its number may not be known. A start that is under way is waited for. $2: the
// name; $3: the last known number
constexpr const char* kCancel =
    R"sh(if cd "$1" 2>/dev/null && command -v flock >/dev/null; then exec 9>>lock; flock -w 20 9; fi
timeout 60 scancel -u "$(id -un)" --name="$2" || exit 5
if [ -n "$3" ]; then timeout 60 scancel "$3" 2>/dev/null; fi
exit 0)sh";

// A start that is under way is waited for.
constexpr const char* kEnd = R"(cd "$1" || exit 0
if command -v flock >/dev/null; then exec 9>>lock; flock -w 20 9; fi
[ -e ended ] && exit 0
read -r pid rest <begun || exit 0
if [ "/proc/$pid/cwd" -ef . ]; then kill -TERM "-$pid"; else exit 0; fi
n=0
while [ "$n" -lt 200 ] && [ "/proc/$pid/cwd" -ef . ]; do sleep 0.1; n=$((n + 1)); done
if [ "/proc/$pid/cwd" -ef . ]; then kill -KILL "-$pid"; fi
exit 0)";

std::vector<std::string> numbersOf(std::span<const RemoteJob> jobs) {
    std::vector<std::string> numbers;
    for (const RemoteJob& job : jobs)
        if (!job.number.empty()) numbers.push_back(job.number);
    return numbers;
}

}  // namespace

std::string SlurmHost::startScript() const {
    return kSubmit;
}

std::string SlurmHost::question(std::span<const RemoteJob> jobs) const {
    return slurmQuestion(numbersOf(jobs));
}

void SlurmHost::settle(std::span<RemoteJob> jobs, const LogNews& news) const {
    const SlurmNews slurm = parseSlurmAnswer(news.more);
    for (std::size_t i = 0; i < jobs.size(); ++i)
        if (!jobs[i].number.empty())
            settleBySlurm(jobs[i], news.traces[i], endOfLog(jobs[i]), slurm, host().gpusPerNode);
}

void SlurmHost::cancel(RemoteJob& job, const std::stop_token& stop) {
    if (job.place.empty()) return;
    const ShellAnswer answer = shell().run(
        {.script = kCancel, .arguments = {job.place, nameThere(job), job.number}}, stop);
    if (answer.code != 0)
        throw ResourceError(fmt::format("{}: Slurm did not cancel the job {}: {}. Try again.",
                                        shell().hostName(), job.id, answer.complaints));
}

std::string DetachedHost::startScript() const {
    return kDetach;
}

std::string DetachedHost::question(std::span<const RemoteJob> /*jobs*/) const {
    return {};
}

void DetachedHost::settle(std::span<RemoteJob> jobs, const LogNews& news) const {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        RemoteJob& job = jobs[i];
        const JobTraces& traces = news.traces[i];
        if (job.number.empty()) continue;
        const LogEnd says = endOfLog(job);
        if (traces.ended) {
            settleByCode(job, traces, says);
        } else if (traces.isAlive) {
            const bool waits = says.state == "queued" || says.state.empty();
            job.state = waits ? RemoteState::waiting : RemoteState::running;
            job.message = waits ? "waits for the jobs before it" : "runs";
        } else {
            job.state = RemoteState::stopped;
            job.message = "ended unexpectedly: it was killed, or the machine restarted";
        }
    }
}

void DetachedHost::cancel(RemoteJob& job, const std::stop_token& stop) {
    if (job.place.empty()) return;
    (void)shell().run({.script = kEnd, .arguments = {job.place}}, stop);
}

std::unique_ptr<JobHost> makeJobHost(const Host& host) {
    if (host.scheduler == Scheduler::slurm) return std::make_unique<SlurmHost>(host);
    return std::make_unique<DetachedHost>(host);
}

}  // namespace gantry
