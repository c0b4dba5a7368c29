#include "core/plan/cluster/cluster_simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>

namespace gantry {
namespace {

// The forecasts are given, not computed.
class ClusterSimulationTest : public testing::Test {
  protected:
    ClusterSimulationTest() {
        m_forecast.grid = {4, 1, Exchange::gather, 1};
        m_forecast.batches = 32;
        m_forecast.load = 2;
        m_forecast.filter = 4;
        m_forecast.gather = 6;
        m_forecast.backproject = 16;
        m_forecast.download = 1;
        m_forecast.store = 3;
    }

    ClusterForecast m_forecast;
};

TEST_F(ClusterSimulationTest, StagesOverlapAndTheLongestBounds) {
    const double wall = simulateRun(m_forecast, 0).seconds;
    // 32 batches: the first one's load, filter and gather come before all back-projection, a slab's
    // copy and store after it.
    const double firstBatch = (2 + 4 + 6) / 32.0;
    EXPECT_GE(wall, 16 + 1 + 3 / 4.0);
    EXPECT_LE(wall, firstBatch + 16 + 1 + 3 + 1e-9);
}

TEST_F(ClusterSimulationTest, StoringHidesBehindTheNextSlab) {
    const double once = simulateRun(m_forecast, 0).seconds;
    m_forecast.slabs = 8;
    const double eight = simulateRun(m_forecast, 0).seconds;
    // Only an eighth of the first batch and of the copy and store is left over.
    EXPECT_NEAR(once - eight, (12.0 / 32 + 1 + 3) * 7 / 8, 1e-9);
}

TEST_F(ClusterSimulationTest, BeginsWhenTheRanksHaveStarted) {
    const double wall = simulateRun(m_forecast, 0).seconds;
    m_forecast.start = 7;
    const ClusterSimulation later = simulateRun(m_forecast, 0);
    EXPECT_NEAR(later.seconds, wall + 7, 1e-9);
    for (const TimelineSpan& span : later.spans)
        EXPECT_GE(span.beginNs, 7'000'000'000);
}

TEST_F(ClusterSimulationTest, ASlowFileSystemBounds) {
    m_forecast.load = 100;
    const double wall = simulateRun(m_forecast, 0).seconds;
    EXPECT_GE(wall, 100);
    EXPECT_LE(wall, 100 + 16 / 32.0 * 2 + 6 + 1 + 3);
}

TEST_F(ClusterSimulationTest, TheGatherSlowsTheDeviceAsFarAsItIsNotHidden) {
    const double hidden = simulateRun(m_forecast, 0).seconds;
    const double exposed = simulateRun(m_forecast, 0.5).seconds;
    EXPECT_NEAR(exposed - hidden, 3, 0.1);  // half of 6 s
}

TEST_F(ClusterSimulationTest, ShowsThreeRanksInTheOrderOfTheStages) {
    m_forecast.grid.columns = 2;
    m_forecast.reduce = 2;
    m_forecast.grid.rows = 5;
    const ClusterSimulation simulated = simulateRun(m_forecast, 0);
    std::set<int> ranks;
    for (const TimelineSpan& span : simulated.spans) {
        ranks.insert(span.rank);
        EXPECT_TRUE(isPlausible(span));
        EXPECT_LE(span.endNs, std::llround(1e9 * simulated.seconds));
    }
    EXPECT_EQ(ranks, (std::set<int>{0, 4, 8}));  // row by row, two columns each
    const auto begin = [&](Stage stage) {
        std::int64_t first = std::numeric_limits<std::int64_t>::max();
        for (const TimelineSpan& span : simulated.spans)
            if (span.rank == 4 && span.stage == stage) first = std::min(first, span.beginNs);
        return first;
    };
    EXPECT_LT(begin(Stage::load), begin(Stage::filter));
    EXPECT_LT(begin(Stage::filter), begin(Stage::gather));
    EXPECT_LT(begin(Stage::gather), begin(Stage::backproject));
    EXPECT_LT(begin(Stage::backproject), begin(Stage::download));
    EXPECT_LT(begin(Stage::download), begin(Stage::reduce));
    EXPECT_LT(begin(Stage::reduce), begin(Stage::store));
}

}  // namespace
}  // namespace gantry
