#include <gtest/gtest.h>

#include "core/plan/job_plan.h"
#include "core/plan/performance_model.h"

namespace gantry {
namespace {

// Four slabs of 300 rows of 100 views with 1000 columns: 3e7 pixels, 1e5 updates and 4000 bytes a
// slab; two neighbours need 500 rows together.
class DeviceForecastTest : public testing::Test {
  protected:
    DeviceForecastTest() {
        m_geometry.views = 100;
        m_geometry.detector.columns = 1000;
        m_grid.voxels = {10, 10, 40};
        for (Index i = 0; i < 4; ++i)
            m_plan.slabs.push_back({{10 * i, 10 * i + 10}, {200 * i, 200 * i + 300}});
        m_plan.batchesPerPass = 10;
        m_rates.loadBytes = 1e8;
        m_rates.preparePixels = 5e7;
        m_rates.filterPixels = 2.5e7;
        m_rates.storeBytes = 8000.0 / 3;
    }

    // That many devices alike.
    DeviceWorkload with(Index devices) {
        m_rates.devices.assign(static_cast<std::size_t>(devices), {6e7, 2000, 3e7, 2e4});
        m_plan.devices.resize(static_cast<std::size_t>(devices));
        m_plan.views = {0, m_geometry.views};
        m_plan.passes.clear();
        for (Index slab = 0; slab < 4; ++slab) {
            if (slab % devices == 0) m_plan.passes.emplace_back();
            PassPlan& pass = m_plan.passes.back();
            pass.assignments.push_back({0, slab % devices, slab, {0, 100}});
            pass.rows =
                hullOf(pass.rows.hull(), m_plan.slabs[static_cast<std::size_t>(slab)].rows.hull());
        }
        return {m_geometry, m_grid, m_plan, 2, 16'000};
    }

    AlignedViews m_geometry;
    VolumeGrid m_grid;
    JobPlan m_plan;
    MachineRates m_rates;
};

TEST_F(DeviceForecastTest, TwoDevicesWithTheFilterOnTheCpu) {
    const Forecast of = forecast(with(2), ViewState::filtered, m_rates);
    // Two passes of 5e7 pixels.
    EXPECT_DOUBLE_EQ(of.load, 2 * 1.0);         // (8) 1e8 B at 1e8 B/s
    EXPECT_DOUBLE_EQ(of.prepare, 2 * 1.0);      // (9) at 5e7 /s
    EXPECT_DOUBLE_EQ(of.filter, 2 * 2.0);       // (9) at 2.5e7 /s
    EXPECT_DOUBLE_EQ(of.upload, 2 * 2.0);       // (11) 1.2e8 B of floats at 6e7 B/s
    EXPECT_DOUBLE_EQ(of.backproject, 2 * 5.0);  // (12) 1e5 updates at 2e4 /s
    EXPECT_DOUBLE_EQ(of.download, 2 * 2.0);     // (14) 4000 B at 2000 B/s
    EXPECT_DOUBLE_EQ(of.store, 2 * 3.0);        // (16) 8000 B at 2667 B/s
    // First batch (1 + 3 + 2) / 10, two passes of 5 s (17), the last pass's 3 s of storing.
    EXPECT_DOUBLE_EQ(of.wall, 0.6 + 5 + 5 + 3);
    EXPECT_EQ(of.boundingStage, "back-project");
    EXPECT_EQ(of.devices, 2);
    EXPECT_FALSE(of.devicesFilter);
}

TEST_F(DeviceForecastTest, StoredPixelsStaySmallUntilTheyAreOnTheDevice) {
    const Forecast of = forecast(with(2), ViewState::stored, m_rates);
    EXPECT_DOUBLE_EQ(of.prepare, 0);
    EXPECT_DOUBLE_EQ(of.filter, 2 * 1.0);  // 3e7 pixels at 3e7 /s, on the device
    EXPECT_DOUBLE_EQ(of.upload, 2 * 1.0);  // two bytes a pixel
    EXPECT_DOUBLE_EQ(of.wall, 0.2 + 6 + 6 + 3);
    EXPECT_TRUE(of.devicesFilter);
    // Line integrals of a tilted detector are floats.
    const Forecast tilted = forecast(with(2), ViewState::prepared, m_rates);
    EXPECT_DOUBLE_EQ(tilted.prepare, 2);
    EXPECT_DOUBLE_EQ(tilted.upload, 4);
    EXPECT_DOUBLE_EQ(tilted.filter, 2);
}

TEST_F(DeviceForecastTest, ADeviceWithTwoSlabsWaitsForASlowDisk) {
    m_rates.storeBytes = 400;  // 10 s a slab
    const Forecast of = forecast(with(1), ViewState::filtered, m_rates);
    // First batch: (0.6 load + 1.8 on the CPU + 2 upload) / 10. The third slab begins when the
    // first is stored, at 0.44 + 5 + 10 s; from the first on, the disk never rests.
    EXPECT_DOUBLE_EQ(of.wall, 0.44 + 5 + 4 * 10);
    EXPECT_EQ(of.boundingStage, "store");
}

// Rings show in all views together, so that each pass begins with all of their loading.
TEST_F(DeviceForecastTest, WhatIsHeldIsCorrectedBeforeAPassBackProjects) {
    m_rates.correctPixels = 2e7;  // 2.5 s a pass, after 1 s of loading
    DeviceWorkload work = with(2);
    const Forecast byBatch = forecast(work, ViewState::filtered, m_rates);
    EXPECT_DOUBLE_EQ(byBatch.correct, 2 * 2.5);
    // On the CPU 2.5 + 1 + 2 s a pass; the first batch (3.5 + 3 + 2) / 10.
    EXPECT_DOUBLE_EQ(byBatch.wall, 0.85 + 5.5 + 5.5 + 3);
    EXPECT_EQ(byBatch.boundingStage, "correct");
    work.heldViews = 100;
    const Forecast held = forecast(work, ViewState::filtered, m_rates);
    EXPECT_DOUBLE_EQ(held.wall, 0.5 + 2 * (3.5 + 5) + 3);
    EXPECT_EQ(held.boundingStage, "back-project");
    // What a device holds for both passes comes before the first.
    work.rowsHeldAtOnce = {0, 1000};
    const Forecast atOnce = forecast(work, ViewState::filtered, m_rates);
    EXPECT_DOUBLE_EQ(atOnce.load, byBatch.load);
    EXPECT_DOUBLE_EQ(atOnce.wall, 0.5 + 7 + 5 + 5 + 3);
    work.rowsHeldAtOnce = {};
    // Where ranks share the views, each needs those of all.
    work.heldViews = 400;
    const Forecast shared = forecast(work, ViewState::filtered, m_rates);
    EXPECT_DOUBLE_EQ(shared.load, 4 * byBatch.load);
    EXPECT_DOUBLE_EQ(shared.correct, 4 * byBatch.correct);
    EXPECT_DOUBLE_EQ(shared.filter, byBatch.filter);
}

TEST_F(DeviceForecastTest, WhatRanksSumEachStoresAPartOf) {
    const Forecast whole = forecast(with(1), ViewState::filtered, m_rates);
    m_plan.part.emplace().plan.grid = {1, 3, Exchange::rows};
    const Forecast part = forecast(with(1), ViewState::filtered, m_rates);
    EXPECT_DOUBLE_EQ(part.store, whole.store / 3);
    EXPECT_DOUBLE_EQ(part.download, whole.download);
}

TEST_F(DeviceForecastTest, FourDevicesNeedOnePassAndTheSlowestCounts) {
    const DeviceWorkload work = with(4);
    m_rates.devices[2] = {6e7, 2000, 3e7, 1e4};
    const Forecast of = forecast(work, ViewState::filtered, m_rates);
    EXPECT_DOUBLE_EQ(of.load, 1.8);  // 900 rows once
    EXPECT_DOUBLE_EQ(of.backproject, 10);
    EXPECT_DOUBLE_EQ(of.wall, (1.8 + 5.4 + 2) / 10 + 10 + 6);
}

TEST_F(DeviceForecastTest, ALastPassMayHaveFewerSlabs) {
    const Forecast of = forecast(with(3), ViewState::filtered, m_rates);
    EXPECT_DOUBLE_EQ(of.backproject, 5 + 5);
    EXPECT_DOUBLE_EQ(of.load, 1.4 + 0.6);  // 700 rows, then 300
    EXPECT_DOUBLE_EQ(of.store, 6);
}

TEST_F(DeviceForecastTest, WhatBindsTheDevicesIsNamedByItsLargerPart) {
    const DeviceWorkload work = with(2);
    m_rates.devices.assign(2, {6e7, 2000, 3e6, 2e4});
    EXPECT_EQ(forecast(work, ViewState::stored, m_rates).boundingStage, "filter");
    m_rates.devices.assign(2, {1e6, 2000, 3e7, 2e4});
    EXPECT_EQ(forecast(work, ViewState::filtered, m_rates).boundingStage, "upload");
    m_rates.loadBytes = 1e5;
    EXPECT_EQ(forecast(work, ViewState::filtered, m_rates).boundingStage, "load");
}

// A row of two ranks gathers: each reads half of the views, 5e7 of the 1e8 pixels of two passes.
TEST_F(DeviceForecastTest, WhatIsGatheredIsFilteredWhereARankIsFaster) {
    const DeviceWorkload work = with(1);
    m_plan.filteredFrom = ViewState::stored;
    m_plan.passes.resize(2);
    for (PassPlan& pass : m_plan.passes)
        pass.column = {{pass.assignments.front().slab, {0, 300}}, {std::nullopt, {200, 500}}};
    m_rates.devices.front().downloadBytes = 1e8;
    // 1 + 2 s on the CPU; the device takes 2 · 5 s to back-project, and 5/3 s more to filter.
    EXPECT_EQ(chooseFilterPlaceOfRank(work, m_rates), ViewState::filtered);
    m_rates.filterPixels = 4e6;  // 12.5 s
    EXPECT_EQ(chooseFilterPlaceOfRank(work, m_rates), ViewState::stored);
    // Handing back 2e8 B of floats may take longer.
    m_rates.devices.front().downloadBytes = 1e7;
    EXPECT_EQ(chooseFilterPlaceOfRank(work, m_rates), ViewState::filtered);
    m_rates.filterPixels = 0;
    EXPECT_EQ(chooseFilterPlaceOfRank(work, m_rates), ViewState::stored) << "the CPU is unknown";
    m_rates.devices.front().filterPixels = 0;
    EXPECT_EQ(chooseFilterPlaceOfRank(work, m_rates), ViewState::filtered) << "it cannot";
}

// One rank of two that gather, on slabs 0 and 1 of two passes: it reads 500 rows of 50 views each.
TEST_F(DeviceForecastTest, ADeviceHandsBackWhatIsGathered) {
    const DeviceWorkload work = with(1);
    m_plan.passes.resize(2);
    for (PassPlan& pass : m_plan.passes)
        pass.column = {{pass.assignments.front().slab, {0, 300}}, {std::nullopt, {200, 500}}};
    m_plan.part.emplace().plan.grid = {2, 1, Exchange::gather};
    m_rates.devices.front().downloadBytes = 1e8;
    m_rates.exchange.gatherBytes = 1.2e8;
    const Forecast onCpu = forecast(work, ViewState::filtered, m_rates);
    EXPECT_DOUBLE_EQ(onCpu.load, 2 * 0.5);
    EXPECT_DOUBLE_EQ(onCpu.prepare, 2 * 0.5);
    EXPECT_DOUBLE_EQ(onCpu.filter, 2 * 1.0);
    EXPECT_DOUBLE_EQ(onCpu.gather, 2 * 1.0);  // 1.2e8 B of floats of the slab's rows
    EXPECT_DOUBLE_EQ(onCpu.upload, 2 * 2.0);
    EXPECT_FALSE(onCpu.devicesFilter);

    m_plan.filteredFrom = ViewState::stored;
    const Forecast of = forecast(work, ViewState::filtered, m_rates);
    EXPECT_DOUBLE_EQ(of.prepare, 0);
    EXPECT_DOUBLE_EQ(of.filter, 2 * 2.5 / 3);             // 2.5e7 pixels at 3e7 /s
    EXPECT_DOUBLE_EQ(of.upload, 2 * (2 + 5.0 / 6));       // 5e7 B of pixels beside
    EXPECT_DOUBLE_EQ(of.download, 2 * (1 + 4000 / 1e8));  // 1e8 B of floats, and the slab
    EXPECT_TRUE(of.devicesFilter);
    // A batch is read, taken, filtered and handed back, gathered and uploaded; then the device does
    // both. Storing the last slab takes 1.5 s.
    const double batch = (0.5 + (5.0 / 6 + 2.5 / 3 + 1) + 1 + 2) / 10;
    EXPECT_DOUBLE_EQ(of.wall, batch + 2 * (5 + 2.5 / 3) + 1.5);
    m_rates.exchange.gatherBytes = 1e7;
    EXPECT_EQ(forecast(work, ViewState::filtered, m_rates).boundingStage, "gather");
}

TEST_F(DeviceForecastTest, SlabsAreSummedWhileTheNextIsMade) {
    m_plan.part.emplace().plan.grid = {1, 2, Exchange::rows};
    const DeviceWorkload work = with(1);
    m_rates.exchange.reduceBytes = 2000;  // 2 s a slab
    const Forecast of = forecast(work, ViewState::filtered, m_rates);
    EXPECT_DOUBLE_EQ(of.reduce, 4 * 2.0);
    EXPECT_DOUBLE_EQ(of.wall, 0.44 + 4 * 5 + 2) << "the last one adds to the time";
    m_rates.exchange.reduceBytes = 400;  // 10 s a slab
    const Forecast slow = forecast(work, ViewState::filtered, m_rates);
    EXPECT_DOUBLE_EQ(slow.wall, 0.44 + 5 + 4 * 10);
    EXPECT_EQ(slow.boundingStage, "reduce");
}

TEST_F(DeviceForecastTest, TheFilterRunsWhereTheWholeIsFaster) {
    const DeviceWorkload work = with(2);
    // 13.6 s against 15.2 s.
    EXPECT_EQ(chooseFilterPlace(work, ViewState::stored, m_rates), ViewState::filtered);
    // 0.1 s a slab on the device: 13.4 s.
    m_rates.devices.assign(2, {6e7, 2000, 3e8, 2e4});
    EXPECT_EQ(chooseFilterPlace(work, ViewState::stored, m_rates), ViewState::stored);
    // A gain within what a forecast can tell does not move it to the CPU.
    m_rates.devices.assign(2, {6e7, 2000, 8e7, 2e4});
    EXPECT_LT(forecast(work, ViewState::filtered, m_rates).wall,
              forecast(work, ViewState::prepared, m_rates).wall);
    EXPECT_EQ(chooseFilterPlace(work, ViewState::prepared, m_rates), ViewState::prepared);
    m_rates.filterPixels = 0;
    EXPECT_EQ(chooseFilterPlace(work, ViewState::stored, m_rates), ViewState::stored);
    m_rates.devices[1].filterPixels = 0;
    EXPECT_EQ(chooseFilterPlace(work, ViewState::stored, m_rates), ViewState::filtered);
}

TEST_F(DeviceForecastTest, AKernelThatMirrorsIsHalfAsFastOnSlabsWithoutTheirMirrorImage) {
    m_geometry.detector.rows = 500;
    m_geometry.detector.pitchMm = {1, 1};
    m_grid.pitchMm = {1, 1, 1};
    (void)with(2);
    for (DevicePlan& device : m_plan.devices)
        device.kernel.kernel.mirrors = true;
    const auto backproject = [&] {
        return forecast({m_geometry, m_grid, m_plan, 2, 16'000}, ViewState::filtered, m_rates)
            .backproject;
    };
    EXPECT_DOUBLE_EQ(backproject(), 2 * 10.0);
    const auto slabs = {IndexRanges({0, 5}, {35, 40}), IndexRanges({5, 10}, {30, 35}),
                        IndexRanges({10, 15}, {25, 30}), IndexRanges(15, 25)};
    for (std::size_t i = 0; i < 4; ++i)
        m_plan.slabs[i].slices = slabs.begin()[i];
    EXPECT_DOUBLE_EQ(backproject(), 2 * 5.0);
    m_grid.centerMm[2] = 0.3;  // slices fall between each other
    EXPECT_DOUBLE_EQ(backproject(), 2 * 10.0);
    for (DevicePlan& device : m_plan.devices)
        device.kernel.kernel.mirrors = false;
    EXPECT_DOUBLE_EQ(backproject(), 2 * 5.0);
}

TEST_F(DeviceForecastTest, WhatIsNotKnownTakesNoTime) {
    const DeviceWorkload work = with(2);
    m_rates = {};
    m_rates.devices = {{0, 0, 0, 2e4}};
    const Forecast of = forecast(work, ViewState::stored, m_rates);
    EXPECT_DOUBLE_EQ(of.backproject, 10);
    EXPECT_DOUBLE_EQ(of.wall, 10);
}

}  // namespace
}  // namespace gantry
