#include "core/remote/scheduler/detached_host.h"

#include "core/remote/job/log_end.h"

namespace gantry {

namespace {

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

// A start that is under way is waited for.
constexpr const char* kEnd = R"(cd "$1" || exit 0
if command -v flock >/dev/null; then exec 9>>lock; flock -w 20 9; fi
[ -e ended ] && exit 0
read -r pid rest <begun || exit 0
[ "/proc/$pid/cwd" -ef . ] || exit 0
touch cancelled 2>/dev/null
kill -TERM "-$pid"
n=0
while [ "$n" -lt 200 ] && [ "/proc/$pid/cwd" -ef . ]; do sleep 0.1; n=$((n + 1)); done
if [ "/proc/$pid/cwd" -ef . ]; then kill -KILL "-$pid"; fi
exit 0)";

}  // namespace

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

}  // namespace gantry
