#include <gtest/gtest.h>

#include "ui/models/forecast_text.h"

namespace gantry {
namespace {

TEST(ForecastText, NamesTheTimeAndWhatBoundsIt) {
    Forecast forecast;
    forecast.wall = 12.4;
    forecast.boundingStage = "back-project";
    EXPECT_EQ(forecastSentence(forecast), "12.4 s, bound by back-projection");
    forecast.boundingStage = {};
    EXPECT_EQ(forecastSentence(forecast), "12.4 s");
    forecast.wall = std::nan("");
    EXPECT_EQ(forecastSentence(forecast), "unknown");
}

TEST(ForecastText, HasAPartForEachStageThatTakesTime) {
    Forecast forecast;
    forecast.load = 1;
    forecast.backproject = 10;
    forecast.store = std::nan("");
    const std::vector<ForecastPart> parts = forecastParts(forecast);
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(parts[0].name, "load");
    EXPECT_EQ(parts[1].name, "back-project");
    EXPECT_EQ(parts[1].colour, QColor("#009e73"));
}

TEST(ForecastText, TellsSizesInOneUnitWhereItCan) {
    EXPECT_EQ(bytesOfBytes(2'100'000'000, 8'000'000'000), "2.10 of 8.00 GB");
    EXPECT_EQ(bytesOfBytes(537'000'000, 37'200'000'000), "537 MB of 37.2 GB");
}

TEST(ForecastText, SpeaksOfPassesOnlyWhereThereAreSeveral) {
    JobPlan plan;
    plan.slabs = {{{0, 171}, {}}};
    EXPECT_EQ(passesSentence(plan), "");
    plan.slabs = {{{0, 171}, {}}, {{171, 342}, {}}, {{342, 512}, {}}};
    EXPECT_TRUE(passesSentence(plan).contains("3 passes"));
    EXPECT_TRUE(passesSentence(plan).contains("171 slices"));
}

}  // namespace
}  // namespace gantry
