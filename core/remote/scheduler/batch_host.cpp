#include "core/remote/scheduler/batch_host.h"

#include <fmt/format.h>

#include "core/base/throw_error.h"
#include "core/remote/scheduler/active_jobs.h"
#include "core/remote/scheduler/detached_host.h"

namespace gantry {

std::string BatchHost::startScript() const {
    return std::string(m_system.submit);
}

std::string BatchHost::question(std::span<const RemoteJob> jobs) const {
    std::vector<std::string> numbers;
    for (const RemoteJob& job : jobs)
        if (!job.number.empty()) numbers.push_back(job.number);
    return queueLines(host()) + m_system.question(numbers);
}

void BatchHost::settle(std::span<RemoteJob> jobs, const LogNews& news) const {
    const QueueNews queue = m_system.parse(news.more);
    for (std::size_t i = 0; i < jobs.size(); ++i)
        if (!jobs[i].number.empty())
            settleByQueue(jobs[i], news.traces[i], endOfLog(jobs[i]), queue, host());
}

// By its name, as its number may not be known. A start that is under way is waited for. What has
// ended meanwhile is no failure.
void BatchHost::cancel(RemoteJob& job, const std::stop_token& stop) {
    constexpr const char* kCancel = R"sh(set -f
if cd "$1" 2>/dev/null; then
  lock
  [ -e ended ] || touch cancelled 2>/dev/null
fi
fail() { printf '%s\n' "$1" >&2; rm -f "$place/cancelled"; exit 5; }
place=$1
active=$(activeJobs) || fail
for n in $(printf '%s\n' "$active" | awk -v name="$2" '$2 == name {print $1}') $3; do
  e=$(timeout 60 "$4" "$n" 2>&1) && continue
  case $e in *finished*|*already*|*nknown*|*nvalid\ job*) ;; *) fail "$e";; esac
done)sh";
    if (job.place.empty()) return;
    const ShellAnswer answer = shell().run(
        {.script = activeJobsFunction(host()) + lockFunction(job) + kCancel,
         .arguments = {job.place, nameThere(job), job.number, std::string(m_system.cancel)}},
        stop);
    if (answer.code != 0)
        throwError<ResourceError>("{}: {} did not cancel the job {}: {}. Try again.",
                                  shell().hostName(), m_system.name, job.id, answer.complaints);
}

std::unique_ptr<JobHost> makeJobHost(const Host& host) {
    if (host.hasQueue()) return std::make_unique<BatchHost>(host);
    return std::make_unique<DetachedHost>(host);
}

}  // namespace gantry
