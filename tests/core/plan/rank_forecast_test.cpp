#include "core/plan/performance_model.h"

#include <gtest/gtest.h>

#include <array>

namespace gantry {
namespace {

Forecast forecastOfOne(int devices) {
    Forecast forecast;
    forecast.filter = 2;
    forecast.backproject = 5;
    forecast.wall = 8;
    forecast.devices = devices;
    forecast.boundingStage = "back-project";
    return forecast;
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
