#include "core/plan/cluster/rank_forecast.h"

#include <gtest/gtest.h>

#include <array>

namespace gantry {
namespace {

constexpr VolumeGrid kExchanged = {{10, 20, 60}, {1, 1, 1}, {}};

JobPlan exchangingPlan(const RankGrid& grid) {
    JobPlan plan;
    plan.part.emplace();
    plan.part->plan.grid = grid;
    plan.views = {0, 50};
    plan.slabs = {{{0, 30}, {0, 7}}, {{30, 60}, {5, 12}}};
    for (Index slab = 0; slab < 2; ++slab) {
        PassPlan pass;
        pass.assignments = {{0, 0, slab, plan.views}};
        pass.rows = {0, 9};
        if (grid.exchange == Exchange::gather)
            pass.column.resize(static_cast<std::size_t>(grid.rows));
        plan.passes.push_back(pass);
    }
    return plan;
}

Forecast forecastOfOne(int devices) {
    Forecast forecast;
    forecast.filter = 2;
    forecast.backproject = 5;
    forecast.wall = 8;
    forecast.devices = devices;
    forecast.boundingStage = "back-project";
    return forecast;
}

TEST(RankForecast, CountsWhatIsGatheredAndSummed) {
    const JobPlan plan = exchangingPlan({2, 2, Exchange::gather});
    const Forecast cpu = withExchanges(forecastOfOne(0), plan, kExchanged, 100, {1e5, 2e5});
    // Two passes of 9 rows of 100 floats in 50 views, and two slabs of 30 slices of 200 floats.
    EXPECT_DOUBLE_EQ(cpu.gather, 2 * 4 * 9 * 100 * 50 / 1e5);
    EXPECT_DOUBLE_EQ(cpu.reduce, 2 * 4 * 30 * 200 / 2e5);
    EXPECT_DOUBLE_EQ(cpu.wall, 8 + cpu.gather + cpu.reduce) << "on the same cores";
    const Forecast gpu = withExchanges(forecastOfOne(1), plan, kExchanged, 100, {1e5, 2e5});
    EXPECT_DOUBLE_EQ(gpu.wall, 8 + gpu.reduce / 2) << "devices work meanwhile";
    const Forecast slow = withExchanges(forecastOfOne(1), plan, kExchanged, 100, {1e4, 2e4});
    EXPECT_DOUBLE_EQ(slow.wall, slow.gather + slow.reduce / 2);
    EXPECT_EQ(slow.boundingStage, "gather");
}

TEST(RankForecast, IsAsItWasWhereNothingIsExchangedOrNoRateIsKnown) {
    const Forecast rows = withExchanges(forecastOfOne(0), exchangingPlan({2, 1, Exchange::rows}),
                                        kExchanged, 100, {1e5, 2e5});
    EXPECT_EQ(rows.gather, 0);
    EXPECT_EQ(rows.reduce, 0);
    EXPECT_EQ(rows.wall, 8);
    const Forecast unknown = withExchanges(
        forecastOfOne(0), exchangingPlan({2, 2, Exchange::gather}), kExchanged, 100, {});
    EXPECT_EQ(unknown.gather, 0);
    EXPECT_EQ(unknown.wall, 8);
}

TEST(RankForecast, OfAllRanksAddsUpAsATimelineDoes) {
    std::array<Forecast, 3> ranks = {forecastOfOne(2), forecastOfOne(1), forecastOfOne(1)};
    ranks[1].wall = 11;
    ranks[1].boundingStage = "load";
    ranks[2].reduce = 3;
    const Forecast all = ofAllRanks(ranks);
    EXPECT_DOUBLE_EQ(laneSecondsOf(all, Stage::backproject), 4 * 5);
    EXPECT_DOUBLE_EQ(laneSecondsOf(all, Stage::filter), 3 * 2);
    EXPECT_DOUBLE_EQ(laneSecondsOf(all, Stage::reduce), 3);
    EXPECT_EQ(all.wall, 11);
    EXPECT_EQ(all.boundingStage, "load");
    ranks[0].wall = 0;
    EXPECT_EQ(ofAllRanks(ranks).wall, 0) << "one is not known";
    EXPECT_EQ(ofAllRanks({}).wall, 0);
}

}  // namespace
}  // namespace gantry
