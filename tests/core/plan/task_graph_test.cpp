#include "core/plan/cluster/cluster_simulation.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace gantry {
namespace {

TEST(TaskGraph, ServersTakeTurnsInTheOrderOfReadiness) {
    TaskGraph graph;
    const Index a = graph.addServer();
    const Index b = graph.addServer();
    const Index slow = graph.addTask(a, 3);
    const Index quick = graph.addTask(b, 1);
    const Index afterQuick = graph.addTask(a, 2);
    graph.addDependency(quick, afterQuick);
    const auto times = graph.run();
    EXPECT_EQ(times[static_cast<std::size_t>(slow)].begin, 0);
    EXPECT_EQ(times[static_cast<std::size_t>(quick)].end, 1);
    EXPECT_EQ(times[static_cast<std::size_t>(afterQuick)].begin, 3);  // ready at 1, its turn at 3
    EXPECT_EQ(times[static_cast<std::size_t>(afterQuick)].end, 5);
}

// Two stages of 1 and 2 s, and one slot between them: the first waits for the second.
TEST(TaskGraph, APipelineRunsAtItsSlowestStage) {
    TaskGraph graph;
    const Index first = graph.addServer();
    const Index second = graph.addServer();
    constexpr int kBatches = 10;
    std::vector<Index> made;
    std::vector<Index> used;
    for (int i = 0; i < kBatches; ++i) {
        made.push_back(graph.addTask(first, 1));
        used.push_back(graph.addTask(second, 2));
        graph.addDependency(made.back(), used.back());
        if (i >= 2) graph.addDependency(used[static_cast<std::size_t>(i) - 2], made.back());
    }
    const auto times = graph.run();
    EXPECT_EQ(times[static_cast<std::size_t>(used.back())].end, 1 + 2 * kBatches);
    EXPECT_EQ(times[static_cast<std::size_t>(made.back())].begin, 1 + 2 * (kBatches - 2));
}

TEST(TaskGraph, JoinsTakeNoTurn) {
    TaskGraph graph;
    const Index server = graph.addServer();
    const Index a = graph.addTask(server, 1);
    const Index b = graph.addTask(server, 1);
    const Index join = graph.addTask(TaskGraph::kNoServer, 0);
    graph.addDependency(a, join);
    graph.addDependency(b, join);
    EXPECT_EQ(graph.run()[static_cast<std::size_t>(join)].end, 2);
}

TEST(TaskGraph, ACircleIsFound) {
    TaskGraph graph;
    const Index a = graph.addTask(TaskGraph::kNoServer, 1);
    const Index b = graph.addTask(TaskGraph::kNoServer, 1);
    graph.addDependency(a, b);
    graph.addDependency(b, a);
    EXPECT_THROW((void)graph.run(), InternalError);
}

}  // namespace
}  // namespace gantry
