#include "core/remote/scheduler/slurm_host.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/remote/scheduler/slurm_words.h"

namespace gantry {

namespace {

// The timeout limits waiting for a controller that does not answer; an answer may end with a
// cluster's name.
constexpr const char* kSubmit =
    R"(n=$(timeout 60 sbatch --parsable --chdir="$1" "$1/job.sh") || exit 5
echo "number ${n%%;*}")";

// Waits for the jobs that run or wait already, in order.
constexpr const char* kDetach = R"(set --
for d in ../*/; do
  if [ -r "$d/begun" ] && ! [ -e "$d/ended" ]; then
    read -r pid rest <"$d/begun"
    if [ "/proc/$pid/cwd" -ef "$d" ]; then set -- "$@" --after "$d/job"; fi
  fi
done
setsid sh ./job.sh "$@" >>output.txt 2>&1 </dev/null &
n=0
while [ "$n" -lt 100 ] && ! [ -s begun ]; do sleep 0.1; n=$((n + 1)); done
read -r pid rest <begun && echo "number $pid")";

constexpr const char* kEnd = R"(cd "$1" || exit 0
[ -e ended ] && exit 0
if [ "/proc/$2/cwd" -ef . ]; then kill -TERM "-$2"; else exit 0; fi
n=0
while [ "$n" -lt 200 ] && [ "/proc/$2/cwd" -ef . ]; do sleep 0.1; n=$((n + 1)); done
if [ "/proc/$2/cwd" -ef . ]; then kill -KILL "-$2"; fi
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
    if (job.number.empty()) return;
    const ShellAnswer answer =
        shell().run({.script = R"(timeout 60 scancel "$1")", .arguments = {job.number}}, stop);
    if (answer.code != 0)
        throw ResourceError(fmt::format("{}: Slurm did not cancel the job {}: {}. Try again.",
                                        shell().hostName(), job.number, answer.complaints));
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
    if (job.number.empty()) return;
    (void)shell().run({.script = kEnd, .arguments = {job.place, job.number}}, stop);
}

std::unique_ptr<JobHost> makeJobHost(const Host& host) {
    if (host.scheduler == Scheduler::slurm) return std::make_unique<SlurmHost>(host);
    return std::make_unique<DetachedHost>(host);
}

}  // namespace gantry
