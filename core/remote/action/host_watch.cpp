#include "core/remote/action/host_watch.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/remote/action/job_host.h"
#include "core/remote/host/host.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBetweenPolls{1000};
constexpr milliseconds kLongestPause{30'000};  // for a host that does not answer

// Whether there is nothing more to be seen of a job that was polled.
bool isOver(const RemoteJob& job) {
    return hasEnded(job.state) || job.isLost();
}

}  // namespace

// The log's size is part of the state, because it grows with the job's progress.
HostWatch::Reported HostWatch::reportedOf(const RemoteJob& job) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(job.folder / "events.jsonl", error);
    return {job.state, job.message, error ? 0 : bytes};
}

HostWatch::HostWatch(const std::string& host, News news)
    : HostWatch([host] { return std::make_shared<JobHost>(findHost(host)); }, kBetweenPolls,
                std::move(news)) {}

HostWatch::HostWatch(Opening open, milliseconds between, News news)
    : m_open(std::move(open)),
      m_between(between),
      m_news(std::move(news)),
      m_thread([this](const std::stop_token& stop) { watch(stop); }) {}

HostWatch::~HostWatch() = default;

void HostWatch::add(const RemoteJob& job) {
    const std::scoped_lock lock(m_mutex);
    std::erase_if(m_jobs, [&](const RemoteJob& each) { return each.id == job.id; });
    std::erase(m_toCancel, job.id);  // for an earlier run, which has ended since
    m_jobs.push_back(job);
    m_isWanted = true;
    m_wake.notify_all();
}

void HostWatch::cancel(const std::string& id) {
    const std::scoped_lock lock(m_mutex);
    m_toCancel.push_back(id);
    m_isWanted = true;
    m_wake.notify_all();
}

std::size_t HostWatch::count() const {
    const std::scoped_lock lock(m_mutex);
    return m_jobs.size();
}

void HostWatch::watch(const std::stop_token& stop) {
    milliseconds pause = m_between;
    while (true) {
        {
            std::unique_lock lock(m_mutex);
            const bool isIdle = m_jobs.empty();
            const auto isWanted = [this] { return m_isWanted; };
            if (isIdle)
                m_wake.wait(lock, stop, isWanted);
            else if (pause > m_between)
                m_wake.wait_for(lock, stop, pause, isWanted);
            m_isWanted = false;
            if (stop.stop_requested()) return;
            if (m_jobs.empty()) continue;
        }
        const auto begin = std::chrono::steady_clock::now();
        try {
            const std::shared_ptr<WatchedHost> host = m_open();
            bool hasMore = true;
            for (int i = 0; hasMore && i < kMaxPollsInARow && !stop.stop_requested(); ++i) {
                cancelWanted(*host, stop);
                hasMore = poll(*host, stop);
            }
            pause = m_between;
            if (!std::exchange(m_whyNot, {}).empty()) m_news({});
        } catch (const Cancelled&) {
            return;
        } catch (const std::exception& error) {
            const std::string why = messageOf(error);
            if (std::exchange(m_whyNot, why) != why) m_news({{}, why});
            pause = std::min(2 * pause, kLongestPause);
        }
        // Two round trips are never closer than this, whatever is requested.
        std::unique_lock lock(m_mutex);
        m_wake.wait_until(lock, stop, begin + m_between, [] { return false; });
    }
}

void HostWatch::cancelWanted(WatchedHost& host, const std::stop_token& stop) {
    std::vector<RemoteJob> jobs;
    {
        const std::scoped_lock lock(m_mutex);
        std::copy_if(
            m_jobs.begin(), m_jobs.end(), std::back_inserter(jobs), [this](const RemoteJob& job) {
                return std::find(m_toCancel.begin(), m_toCancel.end(), job.id) != m_toCancel.end();
            });
    }
    for (const RemoteJob& job : jobs) {
        host.cancel(job, stop);
        const std::scoped_lock lock(m_mutex);
        std::erase(m_toCancel, job.id);
    }
}

bool HostWatch::poll(WatchedHost& host, const std::stop_token& stop) {
    std::vector<RemoteJob> jobs;
    {
        const std::scoped_lock lock(m_mutex);
        jobs = m_jobs;
    }
    bool hasMore = host.poll(jobs, stop);
    // Ended jobs are not polled again, so the rest of their logs is read now.
    const bool isAnyOver = std::any_of(jobs.begin(), jobs.end(),
                                       [](const RemoteJob& job) { return hasEnded(job.state); });
    for (int i = 0; isAnyOver && hasMore && i < kMaxPollsInARow; ++i)
        hasMore = host.poll(jobs, stop);
    take(jobs);
    HostNews news;
    for (const RemoteJob& job : jobs) {
        const auto before = m_reported.find(job.id);
        const Reported now = reportedOf(job);
        if (before == m_reported.end() || before->second != now) news.jobs.push_back(job);
        if (isOver(job))
            m_reported.erase(job.id);
        else
            m_reported.insert_or_assign(job.id, now);
    }
    if (!news.jobs.empty()) {
        m_whyNot.clear();
        m_news(news);
    }
    return hasMore;
}

void HostWatch::take(const std::vector<RemoteJob>& now) {
    const std::scoped_lock lock(m_mutex);
    for (const RemoteJob& job : now) {
        const auto mine = std::find_if(m_jobs.begin(), m_jobs.end(), [&](const RemoteJob& each) {
            return each.id == job.id && (each.number == job.number || each.isLost());
        });
        if (mine == m_jobs.end()) continue;
        if (isOver(job))
            m_jobs.erase(mine);
        else
            *mine = job;
    }
}

}  // namespace gantry
