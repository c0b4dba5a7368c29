#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace gantry {

/// Does tasks one after the other in its own thread, each under a key. May be called from any
/// thread. At its end the current task is asked to stop and waited for; the rest is not begun.
/// Tests: tests/ui/workspace/task_queue_test.cpp
class TaskQueue {
  public:
    /// Must not throw.
    using Task = std::function<void(const std::stop_token& stop)>;

    TaskQueue();
    ~TaskQueue();

    TaskQueue(const TaskQueue&) = delete;
    TaskQueue& operator=(const TaskQueue&) = delete;

    void add(const std::string& key, Task task);
    /// Asks the key's task to stop; a task that was not begun yet will begin with that request.
    void cancel(const std::string& key);
    /// Runs all tasks that were added, each asked to stop, and waits for their end.
    void finish();

  private:
    struct Entry {
        std::string key;
        Task task;
        std::stop_source stop;
    };
    void work(const std::stop_token& stop);

    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::deque<Entry> m_waiting;
    Entry m_current;
    std::jthread m_thread;  // last, because it uses the others
};

}  // namespace gantry
