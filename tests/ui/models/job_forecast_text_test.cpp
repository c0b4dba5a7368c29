#include <gtest/gtest.h>

#include "ui/models/job/forecast_text.h"

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

TEST(ForecastText, HasAPartForEachStageOfTheJob) {
    Forecast forecast;
    forecast.load = 1;
    forecast.backproject = 10;
    forecast.store = std::nan("");
    const std::vector<ForecastPart> parts = forecastParts(forecast);
    ASSERT_EQ(parts.size(), 5u);
    EXPECT_EQ(parts[0].name, "load");
    EXPECT_EQ(parts[3].name, "back-project");
    EXPECT_EQ(parts[3].colour, QColor("#009e73"));
    EXPECT_EQ(parts[4].name, "store");
    EXPECT_EQ(parts[4].seconds, 0);
}

TEST(ForecastText, TellsOfCopiesToAndFromGpus) {
    Forecast forecast;
    forecast.devices = 1;
    forecast.upload = 2;
    forecast.backproject = 1;
    forecast.download = 0.5;
    const std::vector<ForecastPart> parts = forecastParts(forecast);
    ASSERT_EQ(parts.size(), 6u);
    EXPECT_EQ(parts[2].name, "upload");
    EXPECT_EQ(parts[4].name, "download");
    forecast.wall = 3;
    forecast.boundingStage = "upload";
    EXPECT_EQ(forecastSentence(forecast), "3.00 s, bound by copying views to the GPU");
}

TEST(ForecastText, NamesTheEngineAndItsMemory) {
    JobForecast forecast;
    forecast.plan.devices.resize(1);
    forecast.plan.devices[0].name = "CPU (AVX2)";
    EXPECT_EQ(engineSentence(forecast), "CPU (AVX2)");
    forecast.plan.devices[0].kernel.kernel.name = "stack";
    EXPECT_EQ(engineSentence(forecast), "CPU (AVX2), kernel stack");
    EXPECT_EQ(deviceMemorySentence(forecast.plan), "");
    forecast.plan.engine = EngineKind::gpu;
    DevicePlan device;
    device.name = "NVIDIA H200";
    device.kernel.kernel.name = "tile";
    device.bytes = 20'000'000'000;
    device.budgetBytes = 120'000'000'000;
    forecast.plan.devices = {device};
    EXPECT_EQ(engineSentence(forecast), "NVIDIA H200 (tile, exact); the CPU filters");
    EXPECT_EQ(deviceMemorySentence(forecast.plan), "20.0 of 120 GB GPU memory");
    // That of the fuller one.
    device.budgetBytes = 24'000'000'000;
    forecast.plan.devices.push_back(device);
    forecast.seconds.devicesFilter = true;
    EXPECT_EQ(engineSentence(forecast),
              QString::fromUtf8("2 × NVIDIA H200 (tile, exact), which also filters"));
    EXPECT_EQ(deviceMemorySentence(forecast.plan), "20.0 of 24.0 GB GPU memory at most");
}

TEST(ForecastText, TellsSizesInOneUnitWhereItCan) {
    EXPECT_EQ(bytesOfBytes(2'100'000'000, 8'000'000'000), "2.10 of 8.00 GB");
    EXPECT_EQ(bytesOfBytes(537'000'000, 37'200'000'000), "537 MB of 37.2 GB");
}

TEST(ForecastText, SpeaksOfPassesOnlyWhereThereAreSeveral) {
    JobPlan plan;
    plan.slabs = {{{0, 171}, {}}};
    plan.passes.resize(1);
    EXPECT_EQ(passesSentence(plan), "");
    plan.slabs = {{{0, 171}, {}}, {{171, 342}, {}}, {{342, 512}, {}}};
    plan.passes.resize(3);
    EXPECT_TRUE(passesSentence(plan).contains("3 passes"));
    EXPECT_TRUE(passesSentence(plan).contains("171 slices"));
    EXPECT_TRUE(passesSentence(plan).contains("memory"));
    // Two GPUs make two of them from one reading of the views.
    plan.engine = EngineKind::gpu;
    plan.passes.resize(2);
    EXPECT_EQ(passesSentence(plan), "In 2 passes over the projections, up to 171 slices each.");
    plan.slabs.pop_back();
    plan.passes.resize(1);
    EXPECT_EQ(passesSentence(plan), "");
}

}  // namespace
}  // namespace gantry
