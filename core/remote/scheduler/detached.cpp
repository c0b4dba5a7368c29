// A machine without a scheduler: the job's script is a process of its own, which continues when the
// connection ends. Jobs run one after the other.
#include "core/remote/scheduler/batch_system.h"

namespace gantry {

namespace detached {
namespace {

// Waits for the jobs that run or wait already, in order.
constexpr const char* kSubmit = R"(set --
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

// A process number may be reused: the process belongs to the job if it works in the job's folder.
constexpr const char* kActive = R"sh(for d in jobs/*/; do
  if [ -r "$d/begun" ] && ! [ -e "$d/ended" ]; then
    read -r pid rest <"$d/begun"
    if [ "/proc/$pid/cwd" -ef "$d" ]; then d=${d%/}; echo "$pid gantry-${d##*/}"; fi
  fi
done
)sh";

// A start that is under way is waited for.
constexpr const char* kEnd = R"(cd "$1" || exit 0
lock
[ -e ended ] && exit 0
read -r pid rest <begun || exit 0
[ "/proc/$pid/cwd" -ef . ] || exit 0
touch cancelled 2>/dev/null
kill -TERM "-$pid"
n=0
while [ "$n" -lt 200 ] && [ "/proc/$pid/cwd" -ef . ]; do sleep 0.1; n=$((n + 1)); done
if [ "/proc/$pid/cwd" -ef . ]; then kill -KILL "-$pid"; fi
exit 0)";

void settle(RemoteJob& job, const JobTraces& traces, const LogEnd& says, const QueueNews& /*news*/,
            const Host& /*host*/) {
    if (traces.ended) {
        settleByCode(job, traces, says);
    } else if (traces.isAlive) {
        const bool waits = !says.any || says.state == JobState::queued;
        job.state = waits ? RemoteState::waiting : RemoteState::running;
        job.message = waits ? "waits for the jobs before it" : "runs";
    } else {
        job.state = RemoteState::stopped;
        job.message = "ended unexpectedly: it was killed, or the machine restarted";
    }
}

}  // namespace
}  // namespace detached

const BatchSystem kDetached = {
    .name = "itself",
    .head = [](const Host&, const JobResources&, const std::string&) { return std::string(); },
    .begin = [](const Host&, const JobResources&) { return std::string(); },
    .begun = "echo \"$$ 0 $(hostname)\" >begun\n",
    .submit = detached::kSubmit,
    .active = detached::kActive,
    .end = detached::kEnd,
    .parse = [](std::string_view) { return QueueNews(); },
    .settle = detached::settle,
};

}  // namespace gantry
