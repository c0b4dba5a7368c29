#include "core/remote/host_watch.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/remote/follow_job.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBetweenLooks{1000};
constexpr milliseconds kLongestPause{30'000};  // of a host that is silent

// Grows with the copies of a job's logs here.
std::uintmax_t logBytes(const RemoteJob& job) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(job.folder / "events.jsonl", error);
    return error ? 0 : bytes;
}

struct Seen {
    RemoteState state;
    std::string message;
    std::uintmax_t bytes;
};

Seen seenOf(const RemoteJob& job) {
    return {job.state, job.message, logBytes(job)};
}

bool isSame(const Seen& a, const Seen& b) {
    return a.state == b.state && a.message == b.message && a.bytes == b.bytes;
}

}  // namespace

HostWatch::HostWatch(std::string host, std::function<void(const HostNews&)> news)
    : m_host(std::move(host)),
      m_news(std::move(news)),
      m_thread([this](const std::stop_token& stop) { watch(stop); }) {}

HostWatch::~HostWatch() = default;

void HostWatch::add(const RemoteJob& job) {
    const std::scoped_lock lock(m_mutex);
    std::erase_if(m_jobs, [&](const RemoteJob& each) { return each.id == job.id; });
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
    milliseconds pause = kBetweenLooks;
    while (true) {
        {
            std::unique_lock lock(m_mutex);
            const bool isIdle = m_jobs.empty();
            const auto isWanted = [this] { return m_isWanted; };
            if (isIdle)
                m_wake.wait(lock, stop, isWanted);
            else if (pause > kBetweenLooks)
                m_wake.wait_for(lock, stop, pause, isWanted);
            m_isWanted = false;
            if (stop.stop_requested()) return;
            if (m_jobs.empty()) continue;
        }
        const auto begin = std::chrono::steady_clock::now();
        try {
            cancelWanted(stop);
            while (look(stop) && !stop.stop_requested()) {
            }
            pause = kBetweenLooks;
            if (!std::exchange(m_whyNot, {}).empty()) m_news({});
        } catch (const Cancelled&) {
            return;
        } catch (const std::exception& error) {
            const std::string why = messageOf(error);
            if (std::exchange(m_whyNot, why) != why) m_news({{}, why});
            pause = std::min(2 * pause, kLongestPause);
        }
        // Never two round trips within a second, whatever is wanted.
        std::unique_lock lock(m_mutex);
        m_wake.wait_until(lock, stop, begin + kBetweenLooks, [] { return false; });
    }
}

void HostWatch::cancelWanted(const std::stop_token& stop) {
    std::vector<RemoteJob> jobs;
    {
        const std::scoped_lock lock(m_mutex);
        std::copy_if(
            m_jobs.begin(), m_jobs.end(), std::back_inserter(jobs), [this](const RemoteJob& job) {
                return std::find(m_toCancel.begin(), m_toCancel.end(), job.id) != m_toCancel.end();
            });
    }
    if (jobs.empty()) return;
    const std::unique_ptr<JobHost> host = makeJobHost(findHost(m_host));
    for (RemoteJob& job : jobs) {
        host->cancel(job, stop);
        const std::scoped_lock lock(m_mutex);
        std::erase(m_toCancel, job.id);
    }
}

// A host's file may be edited meanwhile: it is read each time.
bool HostWatch::look(const std::stop_token& stop) {
    std::vector<RemoteJob> jobs;
    {
        const std::scoped_lock lock(m_mutex);
        jobs = m_jobs;
    }
    std::vector<Seen> before;
    std::transform(jobs.begin(), jobs.end(), std::back_inserter(before), seenOf);
    const bool hasMore = refresh(*makeJobHost(findHost(m_host)), jobs, stop);
    take(jobs);
    HostNews news;
    for (std::size_t i = 0; i < jobs.size(); ++i)
        if (!isSame(seenOf(jobs[i]), before[i])) news.jobs.push_back(jobs[i]);
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
            return each.id == job.id && each.number == job.number;
        });
        if (mine == m_jobs.end()) continue;
        if (hasEnded(job.state))
            m_jobs.erase(mine);
        else
            *mine = job;
    }
}

}  // namespace gantry
