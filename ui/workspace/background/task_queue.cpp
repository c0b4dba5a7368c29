#include "ui/workspace/background/task_queue.h"

#include <utility>

namespace gantry {

TaskQueue::TaskQueue() : m_thread([this](const std::stop_token& stop) { work(stop); }) {}

TaskQueue::~TaskQueue() {
    m_thread.request_stop();
    const std::scoped_lock lock(m_mutex);
    m_waiting.clear();
    m_current.stop.request_stop();
}

void TaskQueue::add(const std::string& key, Task task) {
    const std::scoped_lock lock(m_mutex);
    m_waiting.push_back({key, std::move(task), {}});
    m_wake.notify_all();
}

void TaskQueue::cancel(const std::string& key) {
    const std::scoped_lock lock(m_mutex);
    if (m_current.key == key) m_current.stop.request_stop();
    for (Entry& entry : m_waiting)
        if (entry.key == key) entry.stop.request_stop();
}

void TaskQueue::finish() {
    std::unique_lock lock(m_mutex);
    m_current.stop.request_stop();
    for (Entry& entry : m_waiting)
        entry.stop.request_stop();
    m_wake.wait(lock, [this] { return m_waiting.empty() && !m_current.task; });
}

void TaskQueue::work(const std::stop_token& stop) {
    while (true) {
        Task task;
        std::stop_token stopTask;
        {
            std::unique_lock lock(m_mutex);
            m_current = {};
            m_wake.notify_all();
            if (!m_wake.wait(lock, stop, [this] { return !m_waiting.empty(); })) return;
            if (stop.stop_requested()) return;
            m_current = std::move(m_waiting.front());
            m_waiting.pop_front();
            task = m_current.task;
            stopTask = m_current.stop.get_token();
        }
        task(stopTask);
    }
}

}  // namespace gantry
