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

// By its name, as its number may not be known. A start that is under way is waited for.
void BatchHost::cancel(RemoteJob& job, const std::stop_token& stop) {
    constexpr const char* kLock =
        R"sh(if cd "$1" 2>/dev/null; then
  if command -v flock >/dev/null; then exec 9>>lock; flock -w 20 9; fi
  [ -e ended ] || touch cancelled 2>/dev/null
fi
cancel "$@" || { code=$?; rm -f "$1/cancelled"; exit "$code"; })sh";
    if (job.place.empty()) return;
    const ShellAnswer answer =
        shell().run({.script = fmt::format("{}cancel() {{\n{}\n}}\n{}", activeJobsFunction(host()),
                                           m_system.cancel, kLock),
                     .arguments = {job.place, nameThere(job), job.number}},
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
