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

#include "core/remote/job_host.h"

namespace gantry {

/// What a look at a host's jobs has shown.
struct HostNews {
    std::vector<RemoteJob> jobs;  ///< of which something is new: state, words or their logs
    std::string whyNot;           ///< what kept the host from answering; empty: it has answered
};

/// Watches jobs of one host from a thread of its own, all of them in one round trip: see
/// JobHost::look(). A host that is silent is asked again ever more rarely. A job that has ended is
/// watched no longer. May be called from any thread.
/// Tests: tests/core/remote/host_watch_test.cpp, tests/cli/test_remote.py
class HostWatch {
  public:
    using News = std::function<void(const HostNews& news)>;
    /// Gives the host for one look; may throw as one.
    using Opening = std::function<std::shared_ptr<JobHost>()>;

    /// Looks once a second at most. host: for findHost(), each time, as its file may be edited
    /// meanwhile. news: is called from the watch's thread, after each look that showed something,
    /// or when the host falls silent or speaks again; it may call add() and cancel().
    HostWatch(const std::string& host, News news);
    /// between: from one look to the next
    HostWatch(Opening open, std::chrono::milliseconds between, News news);
    /// A call to the host that is under way is given up.
    ~HostWatch();

    HostWatch(const HostWatch&) = delete;
    HostWatch& operator=(const HostWatch&) = delete;

    /// Watches the job, which was handed over, from now on.
    void add(const RemoteJob& job);
    /// Has the host end the job; its end is news. What fails is said as HostNews::whyNot, and is
    /// tried again with the next look.
    void cancel(const std::string& id);
    /// Of jobs that are watched. 0: all have ended
    [[nodiscard]] std::size_t count() const;

  private:
    void watch(const std::stop_token& stop);
    bool look(JobHost& host, const std::stop_token& stop);
    void cancelWanted(JobHost& host, const std::stop_token& stop);
    void take(const std::vector<RemoteJob>& now);

    // What was last told of a job.
    struct Told {
        RemoteState state;
        std::string message;
        std::uintmax_t logBytes;
        bool operator==(const Told&) const = default;
    };
    [[nodiscard]] static Told toldOf(const RemoteJob& job);

    Opening m_open;
    std::chrono::milliseconds m_between;
    News m_news;
    mutable std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::vector<RemoteJob> m_jobs;
    std::vector<std::string> m_toCancel;
    std::map<std::string, Told> m_told;  // by the jobs' ids; of the thread alone
    bool m_isWanted = false;             // a look at once
    std::string m_whyNot;                // as last said; of the thread alone
    std::jthread m_thread;               // the last: it uses the others
};

}  // namespace gantry
