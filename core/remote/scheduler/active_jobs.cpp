#include "core/remote/scheduler/active_jobs.h"

#include <fmt/format.h>

#include "core/remote/scheduler/batch_system.h"

namespace gantry {

namespace {

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
    if (!host.hasQueue()) return kDetached;
    return fmt::format("{}activeJobs() {{\n{}}}\n", queueLines(host),
                       batchSystem(host.scheduler).active);
}

}  // namespace gantry
