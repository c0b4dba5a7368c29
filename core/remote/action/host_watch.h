#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/remote/action/watched_host.h"

namespace gantry {

/// The result of one poll of a host's jobs.
struct HostNews {
    std::vector<RemoteJob> jobs;  ///< jobs with something new: state, message or log
    std::string whyNot;           ///< why the host did not answer; empty: it did
};

/// Polls the jobs of one host from its own thread, all in one round trip: see WatchedHost. A
/// host that does not answer is polled ever more rarely. A job that has ended, or that its host
/// does not have, is watched no longer. May be called from any thread. Tests:
/// tests/core/remote/host_watch_test.cpp, tests/cli/test_remote.py
class HostWatch {
  public:
    using News = std::function<void(const HostNews& news)>;
    /// Makes the host for one poll; may throw as one.
    using Opening = std::function<std::shared_ptr<WatchedHost>()>;

    /// Polls at most once a second. host: for findHost(), each time, because its file may be edited
    /// meanwhile. news: called from the watch's thread after each poll that showed something, or
    /// when the host stops or resumes answering; it may call add() and cancel().
    HostWatch(const std::string& host, News news);
    /// between: time between two polls
    HostWatch(Opening open, std::chrono::milliseconds between, News news);
    /// Abandons a running call to the host.
    ~HostWatch();

    HostWatch(const HostWatch&) = delete;
    HostWatch& operator=(const HostWatch&) = delete;

    /// Watches a job that was handed over, from now on.
    void add(const RemoteJob& job);
    /// Makes the host end the job; its end is reported as news. A failure is reported as
    /// HostNews::whyNot, and repeated at the next poll.
    void cancel(const std::string& id);
    /// The number of jobs that are watched. 0: all have ended
    [[nodiscard]] std::size_t count() const;

  private:
    void watch(const std::stop_token& stop);
    bool poll(WatchedHost& host, const std::stop_token& stop);
    void cancelWanted(WatchedHost& host, const std::stop_token& stop);
    void take(const std::vector<RemoteJob>& now);

    // The last reported state of a job.
    struct Reported {
        RemoteState state;
        std::string message;
        std::uintmax_t logBytes;
        bool operator==(const Reported&) const = default;
    };
    [[nodiscard]] static Reported reportedOf(const RemoteJob& job);

    Opening m_open;
    std::chrono::milliseconds m_between;
    News m_news;
    mutable std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::vector<RemoteJob> m_jobs;
    std::vector<std::string> m_toCancel;
    std::map<std::string, Reported> m_reported;  // by the jobs' ids; used by the thread only
    bool m_isWanted = false;                     // an immediate poll
    std::string m_whyNot;                        // as last reported; used by the thread only
    std::jthread m_thread;                       // last, because it uses the members above
};

}  // namespace gantry
