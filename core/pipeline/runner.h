#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/pipeline/timeline.h"

namespace gantry {

/// What a stage did, for its span on the timeline.
struct StageWork {
    Index slab = 0;
    Index batch = 0;
    Index bytes = 0;
    Index updates = 0;
};

/// One thread of a run and its timeline lane, for the code that runs on it: it records the stages'
/// times.
class Lane {
  public:
    Lane(std::string name, std::int64_t originNs, const SpanSink& sink, std::stop_token stop);

    [[nodiscard]] const std::stop_token& stop() const { return m_stop; }

    /// Runs the stage's work and records its span. Time spent waiting for rings stays outside.
    void measure(Stage stage, const StageWork& work, const std::function<void()>& body);

  private:
    std::string m_name;
    std::int64_t m_originNs;
    const SpanSink& m_sink;
    std::stop_token m_stop;
};

/// Runs each stage's loop on its own thread. When one throws, all are asked to stop (which wakes
/// those that wait on a ring), and wait() rethrows the first failure. Tests:
/// tests/core/pipeline/runner_test.cpp
class Runner {
  public:
    /// originNs: time of nowNs() from which spans count. A request on `outer` stops the run too.
    Runner(std::int64_t originNs, SpanSink sink, const std::stop_token& outer);
    ~Runner();
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    void spawn(std::string laneName, std::function<void(Lane&)> body);

    /// Returns when all threads are done.
    /// @throws what a thread threw first; Cancelled when only the outer token stopped them
    void wait();

  private:
    void fail(std::exception_ptr error);

    std::int64_t m_originNs;
    SpanSink m_sink;
    std::stop_source m_stop;
    std::stop_callback<std::function<void()>> m_outerStop;
    std::mutex m_mutex;
    std::exception_ptr m_error;
    std::vector<std::jthread> m_threads;
};

}  // namespace gantry
