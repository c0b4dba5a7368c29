#include "core/plan/cluster/task_graph.h"

#include <functional>
#include <queue>
#include <tuple>

#include "core/base/error.h"

namespace gantry {

namespace {

// Something that happens to a task: it becomes ready, or it ends. At equal times ends come first,
// then the task that was added first, so that every run gives the same result.
struct Event {
    double seconds;
    bool isReady;
    Index task;

    friend bool operator>(const Event& a, const Event& b) {
        return std::tie(a.seconds, a.isReady, a.task) > std::tie(b.seconds, b.isReady, b.task);
    }
};

}  // namespace

Index TaskGraph::addTask(Index server, double seconds) {
    m_tasks.push_back({server, seconds, 0, {}});
    return static_cast<Index>(m_tasks.size()) - 1;
}

void TaskGraph::addDependency(Index before, Index task) {
    m_tasks[static_cast<std::size_t>(before)].after.push_back(task);
    ++m_tasks[static_cast<std::size_t>(task)].waitsFor;
}

std::vector<TaskGraph::Times> TaskGraph::run() const {
    std::vector<Times> times(m_tasks.size());
    std::vector<Index> waitsFor;
    std::vector<std::queue<Index>> queues(static_cast<std::size_t>(m_servers));
    std::vector<bool> isBusy(static_cast<std::size_t>(m_servers), false);
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
    for (const Task& task : m_tasks)
        waitsFor.push_back(task.waitsFor);
    for (std::size_t i = 0; i < m_tasks.size(); ++i)
        if (waitsFor[i] == 0) events.push({0, true, static_cast<Index>(i)});

    const auto start = [&](Index task, double now) {
        const auto i = static_cast<std::size_t>(task);
        times[i] = {now, now + m_tasks[i].seconds};
        events.push({times[i].end, false, task});
    };
    std::size_t ended = 0;
    while (!events.empty()) {
        const auto [now, isReady, task] = events.top();
        events.pop();
        const Index server = m_tasks[static_cast<std::size_t>(task)].server;
        const auto at = static_cast<std::size_t>(server);
        if (isReady) {
            if (server == kNoServer) {
                start(task, now);
            } else if (isBusy[at]) {
                queues[at].push(task);
            } else {
                isBusy[at] = true;
                start(task, now);
            }
            continue;
        }
        ++ended;
        if (server != kNoServer) {
            isBusy[at] = !queues[at].empty();
            if (isBusy[at]) {
                start(queues[at].front(), now);
                queues[at].pop();
            }
        }
        for (const Index next : m_tasks[static_cast<std::size_t>(task)].after)
            if (--waitsFor[static_cast<std::size_t>(next)] == 0) events.push({now, true, next});
    }
    require(ended == m_tasks.size(), "tasks wait for each other in a circle");
    return times;
}

}  // namespace gantry
