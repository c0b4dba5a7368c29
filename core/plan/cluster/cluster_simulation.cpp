#include "core/plan/cluster/cluster_simulation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <string>
#include <tuple>

#include "core/base/error.h"

namespace gantry {

namespace {

// More would only take memory: neighbouring batches and ranks behave alike.
constexpr Index kMaxBatches = 64;
constexpr Index kMaxRanks = 128;

// How a task appears on the timeline.
struct Shown {
    Index task;
    Index rank;  ///< of those simulated
    Stage stage;
    Index slab;
    Index batch;
};

// The servers of one rank.
struct RankServers {
    Index filter;
    Index network;
    Index device;
    Index link;
};

class Simulation {
  public:
    Simulation(const ClusterForecast& forecast, double gatherExposed, Index ringSlots);
    ClusterSimulation run();

  private:
    Index add(Index server, double seconds, const Shown& shown);
    void addSlab(Index slab);
    void addBatch(Index slab, Index batch);
    void endSlab(Index slab);
    [[nodiscard]] bool isShown(Index rank) const {
        return rank == 0 || rank == m_ranks / 2 || rank == m_ranks - 1;
    }

    const ClusterForecast& m_forecast;
    const Index m_ranks;  ///< simulated: those of one column, or a sample of them
    const Index m_batches;
    const Index m_ringSlots;
    const double m_deviceSeconds;
    TaskGraph m_graph;
    Index m_loading;
    Index m_storing;
    std::vector<RankServers> m_servers;
    std::vector<std::vector<Index>> m_added;  ///< [rank]: tasks of back-projection so far
    std::vector<Shown> m_shown;
};

Simulation::Simulation(const ClusterForecast& forecast, double gatherExposed, Index ringSlots)
    : m_forecast(forecast),
      m_ranks(std::min(forecast.grid.rows, kMaxRanks)),
      m_batches(std::min(forecast.batches, kMaxBatches)),
      m_ringSlots(ringSlots),
      // The gather's memory traffic that does not overlap slows the device's copies.
      m_deviceSeconds(forecast.backproject + gatherExposed * forecast.gather),
      m_loading(m_graph.addServer()),
      m_storing(m_graph.addServer()),
      m_added(static_cast<std::size_t>(m_ranks)) {
    for (Index r = 0; r < m_ranks; ++r)
        m_servers.push_back(
            {m_graph.addServer(), m_graph.addServer(), m_graph.addServer(), m_graph.addServer()});
}

Index Simulation::add(Index server, double seconds, const Shown& shown) {
    const Index task = m_graph.addTask(server, seconds);
    if (seconds > 0 && isShown(shown.rank)) {
        m_shown.push_back(shown);
        m_shown.back().task = task;
    }
    return task;
}

void Simulation::addBatch(Index slab, Index batch) {
    const double share = 1 / static_cast<double>(m_forecast.slabs * m_batches);
    const Index join = m_graph.addTask(TaskGraph::kNoServer, 0);
    for (Index r = 0; r < m_ranks; ++r) {
        const RankServers& servers = m_servers[r];
        std::vector<Index>& added = m_added[r];
        // All ranks share the file system, so each gets its share of the load time.
        const Index load = add(m_loading, share * m_forecast.load / static_cast<double>(m_ranks),
                               {0, r, Stage::load, slab, batch});
        const Index filter =
            add(servers.filter, share * m_forecast.filter, {0, r, Stage::filter, slab, batch});
        const Index gather =
            add(servers.network, share * m_forecast.gather, {0, r, Stage::gather, slab, batch});
        const Index device =
            add(servers.device, share * m_deviceSeconds, {0, r, Stage::backproject, slab, batch});
        m_graph.addDependency(load, filter);
        m_graph.addDependency(filter, m_forecast.gather > 0 ? join : gather);
        if (m_forecast.gather > 0) m_graph.addDependency(join, gather);
        m_graph.addDependency(gather, device);
        const Index slot = std::ssize(added) - m_ringSlots;
        if (slot >= 0) m_graph.addDependency(added[slot], load);
        added.push_back(device);
    }
}

void Simulation::endSlab(Index slab) {
    const double share = 1 / static_cast<double>(m_forecast.slabs);
    for (Index r = 0; r < m_ranks; ++r) {
        const RankServers& servers = m_servers[r];
        const Index download =
            add(servers.link, share * m_forecast.download, {0, r, Stage::download, slab, 0});
        const Index reduce =
            add(servers.network, share * m_forecast.reduce, {0, r, Stage::reduce, slab, 0});
        const Index store = add(m_storing, share * m_forecast.store / static_cast<double>(m_ranks),
                                {0, r, Stage::store, slab, 0});
        m_graph.addDependency(m_added[r].back(), download);
        m_graph.addDependency(download, reduce);
        m_graph.addDependency(reduce, store);
    }
}

void Simulation::addSlab(Index slab) {
    for (Index batch = 0; batch < m_batches; ++batch)
        addBatch(slab, batch);
    endSlab(slab);
}

ClusterSimulation Simulation::run() {
    for (Index slab = 0; slab < m_forecast.slabs; ++slab)
        addSlab(slab);
    const std::vector<TaskGraph::Times> times = m_graph.run();
    ClusterSimulation result;
    for (const TaskGraph::Times& time : times)
        result.seconds = std::max(result.seconds, m_forecast.start + time.end);
    const auto ns = [this](double seconds) {
        return std::llround(1e9 * (m_forecast.start + seconds));
    };
    for (const Shown& shown : m_shown) {
        const TaskGraph::Times& time = times[shown.task];
        // Rows that are not simulated behave like their neighbours.
        const Index row = shown.rank * m_forecast.grid.rows / m_ranks;
        TimelineSpan span;
        span.rank = static_cast<int>(row * m_forecast.grid.columns);
        span.lane = std::string(name(shown.stage));
        span.stage = shown.stage;
        span.beginNs = ns(time.begin);
        span.endNs = ns(time.end);
        span.slab = row * m_forecast.slabs + shown.slab;
        span.batch = shown.batch;
        result.spans.push_back(std::move(span));
    }
    return result;
}

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

ClusterSimulation simulateRun(const ClusterForecast& forecast, double gatherExposed,
                              Index ringSlots) {
    return Simulation(forecast, gatherExposed, ringSlots).run();
}

Index TaskGraph::addTask(Index server, double seconds) {
    m_tasks.push_back({server, seconds, 0, {}});
    return std::ssize(m_tasks) - 1;
}

void TaskGraph::addDependency(Index before, Index task) {
    m_tasks[before].after.push_back(task);
    ++m_tasks[task].waitsFor;
}

std::vector<TaskGraph::Times> TaskGraph::run() const {
    std::vector<Times> times(m_tasks.size());
    std::vector<Index> waitsFor;
    std::vector<std::queue<Index>> queues(m_servers);
    std::vector<bool> isBusy(m_servers, false);
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
        const Index server = m_tasks[task].server;
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
        for (const Index next : m_tasks[task].after)
            if (--waitsFor[next] == 0) events.push({now, true, next});
    }
    require(ended == m_tasks.size(), "tasks wait for each other in a circle");
    return times;
}

}  // namespace gantry
