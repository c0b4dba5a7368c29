#include "core/remote/scheduler/active_jobs.h"

namespace gantry {

namespace {

// A job that is completing is past its end, and may be started again.
constexpr const char* kSlurm = R"sh(activeJobs() {
queue=$(timeout 60 squeue -h -u "$(id -u)" -o '%i|%T|%j') || return 5
printf '%s\n' "$queue" | awk -F'|' '$2 != "COMPLETING" && $3 ~ /^gantry-/ {print $1, $3}'
}
)sh";

// A process number may be reused: the process belongs to the job if it works in the job's folder.
constexpr const char* kDetached = R"sh(activeJobs() {
for d in jobs/*/; do
  if [ -r "$d/begun" ] && ! [ -e "$d/ended" ]; then
    read -r pid rest <"$d/begun"
    if [ "/proc/$pid/cwd" -ef "$d" ]; then d=${d%/}; echo "$pid gantry-${d##*/}"; fi
  fi
done
}
)sh";

}  // namespace

std::string activeJobsFunction(const Host& host) {
    return host.scheduler == Scheduler::slurm ? kSlurm : kDetached;
}

}  // namespace gantry
