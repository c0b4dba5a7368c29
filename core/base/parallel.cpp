#include "core/base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace gantry {

std::vector<int> availableCores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> cores;
    if (sched_getaffinity(0, sizeof(set), &set) != 0) return cores;
    for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &set)) cores.push_back(core);
    return cores;
}

int availableThreads() {
    const std::vector<int> cores = availableCores();
    return std::max(
        1, static_cast<int>(cores.empty() ? std::thread::hardware_concurrency() : cores.size()));
}

namespace {

// Whether this thread is working on a loop: a loop inside it then runs only on this thread.
thread_local bool insideLoop = false;

// One loop shared by its workers.
class Loop {
  public:
    Loop(Index count, Index grain, const ParallelBody& body, const std::stop_token& stop)
        : m_count(count), m_grain(grain), m_body(body), m_stop(stop) {}

    void work(int worker) {
        const bool nested = std::exchange(insideLoop, true);
        while (!m_failed.load(std::memory_order_acquire) && !m_stop.stop_requested()) {
            const Index begin = m_next.fetch_add(m_grain, std::memory_order_acq_rel);
            if (begin >= m_count) break;
            const Index end = std::min(begin + m_grain, m_count);
            try {
                m_body(begin, end, worker);
            } catch (...) {
                const std::scoped_lock lock(m_mutex);
                if (!m_error) m_error = std::current_exception();
                m_failed.store(true, std::memory_order_release);
            }
            m_done.fetch_add(end - begin, std::memory_order_acq_rel);
        }
        insideLoop = nested;
    }

    void finish() {
        if (m_error) std::rethrow_exception(m_error);
        if (m_done.load(std::memory_order_acquire) < m_count) throw Cancelled();
    }

  private:
    const Index m_count;
    const Index m_grain;
    const ParallelBody& m_body;
    const std::stop_token& m_stop;
    std::atomic<Index> m_next{0};
    std::atomic<Index> m_done{0};
    std::atomic<bool> m_failed{false};
    std::mutex m_mutex;
    std::exception_ptr m_error;
};

// Threads that sleep between loops. An OpenMP runtime's threads spin for milliseconds after each
// loop, which takes the processor from the other stages of a run, whose loops are many and short.
class Team {
  public:
    Team() = default;
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    ~Team() {
        for (std::jthread& thread : m_threads)
            thread.request_stop();
    }

    // Works on the loop with this thread and workers − 1 of the team's; returns when all are done.
    void run(Loop& loop, int workers) {
        while (static_cast<int>(m_threads.size()) < workers - 1)
            m_threads.emplace_back([this, worker = static_cast<int>(m_threads.size()) + 1](
                                       const std::stop_token& stop) { serve(worker, stop); });
        {
            const std::scoped_lock lock(m_mutex);
            m_loop = &loop;
            m_workers = workers;
            m_busy = workers - 1;
            ++m_round;
        }
        m_begin.notify_all();
        loop.work(0);
        std::unique_lock lock(m_mutex);
        m_end.wait(lock, [this] { return m_busy == 0; });
    }

  private:
    void serve(int worker, const std::stop_token& stop) {
        std::unique_lock lock(m_mutex);
        Index seen = 0;
        while (m_begin.wait(lock, stop, [&] { return m_round != seen && worker < m_workers; })) {
            seen = m_round;
            lock.unlock();
            m_loop->work(worker);
            lock.lock();
            if (--m_busy == 0) m_end.notify_one();
        }
    }

    std::mutex m_mutex;
    std::condition_variable_any m_begin;
    std::condition_variable m_end;
    Loop* m_loop = nullptr;
    int m_workers = 0;
    int m_busy = 0;
    Index m_round = 0;
    std::vector<std::jthread> m_threads;
};

}  // namespace

void parallelFor(int threads, Index count, Index grain, const ParallelBody& body,
                 const std::stop_token& stop) {
    if (count <= 0) return;
    grain = std::clamp<Index>(grain, 1, count);
    const Index pieces = (count + grain - 1) / grain;
    const int workers = insideLoop ? 1 : static_cast<int>(std::clamp<Index>(threads, 1, pieces));
    Loop loop(count, grain, body, stop);
    if (workers == 1) {
        loop.work(0);
    } else {
        thread_local Team team;  // each stage's thread has its own
        team.run(loop, workers);
    }
    loop.finish();
}

}  // namespace gantry
