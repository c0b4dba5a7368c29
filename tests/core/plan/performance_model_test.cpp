#include "core/plan/performance_model.h"

#include <gtest/gtest.h>

#include "core/plan/job_plan.h"

namespace gantry {
namespace {

TEST(PerformanceModel, CountsTheWorkOfEveryPass) {
    AlignedViews geometry;
    geometry.views = 10;
    geometry.detector.columns = 100;
    VolumeGrid grid;
    grid.voxels = {20, 30, 40};
    JobPlan plan;
    plan.views = {0, 10};
    plan.slabs = {{{0, 20}, {0, 60}}, {{20, 40}, {40, 100}}};
    plan.passes = {{{{0, 0, 0, {0, 10}}}, {0, 60}}, {{{0, 0, 1, {0, 10}}}, {40, 100}}};
    const Workload work = workload(geometry, grid, plan, 2, 12345);
    EXPECT_EQ(work.filterPixels, 10 * 100 * 120);
    EXPECT_EQ(work.loadBytes, 2 * work.filterPixels);
    EXPECT_EQ(work.updates, 10.0 * 20 * 30 * 40);
    EXPECT_EQ(work.storeBytes, 12345);
    // What an interrupted run has done is done.
    plan.passes.erase(plan.passes.begin());
    const Workload rest = workload(geometry, grid, plan, 2, 12000);
    EXPECT_EQ(rest.filterPixels, 10 * 100 * 60);
    EXPECT_EQ(rest.updates, 10.0 * 20 * 30 * 20);
    EXPECT_EQ(rest.storeBytes, 6000);
    // Four ranks sum these slabs, and each stores a part of them.
    plan.part.emplace().plan.grid = {2, 4, Exchange::rows};
    const Workload summed = workload(geometry, grid, plan, 2, 12000);
    EXPECT_EQ(summed.storeBytes, 1500);
    EXPECT_EQ(summed.reduceBytes, 4 * 20 * 30 * 20) << "half of the slices, as floats";
    EXPECT_EQ(summed.gatherBytes, 0);
    EXPECT_EQ(rest.reduceBytes, 0);
}

// Two ranks of a column, each of which reads a half of the views.
TEST(PerformanceModel, WhatIsGatheredIsReadOnce) {
    AlignedViews geometry;
    geometry.detector.columns = 100;
    JobPlan plan;
    plan.part.emplace().plan.grid = {2, 1, Exchange::gather};
    plan.views = {0, 50};
    plan.slabs = {{{0, 30}, {0, 7}}, {{30, 60}, {5, 12}}};
    PassPlan pass;
    pass.assignments = {{0, 0, 0, plan.views}};
    pass.rows = {0, 7};
    pass.column = {{0, {0, 7}}, {1, {5, 12}}};
    plan.passes = {pass};
    const Workload work = workload(geometry, {{10, 20, 60}, {1, 1, 1}, {}}, plan, 2, 12000);
    EXPECT_EQ(work.filterPixels, 12 * 100 * 25);
    EXPECT_EQ(work.loadBytes, 2 * work.filterPixels);
    EXPECT_EQ(work.gatherBytes, 4 * 7 * 100 * 50);
}

TEST(PerformanceModel, WhatRanksExchangeTakesTheSameCores) {
    const Workload work = {100, 100, 100, 100, 100, 60, 300};
    MachineRates rates = {100, 100, 50, 25, 100};
    EXPECT_DOUBLE_EQ(forecast(work, rates, 10).wall, 8.1) << "of exchanges nothing is known";
    rates.exchange = {20, 30};
    const Forecast of = forecast(work, rates, 10);
    EXPECT_DOUBLE_EQ(of.gather, 3);
    EXPECT_DOUBLE_EQ(of.reduce, 10);
    EXPECT_DOUBLE_EQ(of.wall, 8.1 + 3 + 10);
    EXPECT_EQ(of.boundingStage, "reduce");
}

TEST(PerformanceModel, TheCoresAddUpAndTheDiskRunsBeside) {
    const Workload work = {100, 100, 100, 100, 100};
    MachineRates rates = {100, 100, 50, 25, 100};  // load 1 s, prepare 1, filter 2, back-project 4
    const Forecast compute = forecast(work, rates, 10);
    EXPECT_EQ(compute.boundingStage, "back-project");
    EXPECT_DOUBLE_EQ(compute.backproject, 4);
    EXPECT_DOUBLE_EQ(compute.wall, 7 + 0.1 + 1);

    rates.loadBytes = 5;
    const Forecast disk = forecast(work, rates, 10);
    EXPECT_EQ(disk.boundingStage, "load");
    EXPECT_DOUBLE_EQ(disk.wall, 20 + 2 + 1);
}

TEST(PerformanceModel, WhatIsHeldIsCorrectedBeforeTheRestBegins) {
    Workload work = {100, 100, 100, 100, 100};
    work.correctPixels = 100;
    const MachineRates rates = {50, 100, 50, 25, 100, {}, 20};  // load 2 s, correct 5, then 7
    const Forecast byBatch = forecast(work, rates, 10);
    EXPECT_DOUBLE_EQ(byBatch.correct, 5);
    EXPECT_DOUBLE_EQ(byBatch.wall, 12 + 0.7 + 1) << "the cores' work, the first batch, the store";
    work.isHeld = true;
    const Forecast held = forecast(work, rates, 10);
    EXPECT_DOUBLE_EQ(held.wall, 2 + 5 + 7 + 1);
    EXPECT_EQ(held.boundingStage, "correct");
}

TEST(PerformanceModel, CountsWhatEachRankHoldsOfAllViews) {
    AlignedViews geometry;
    geometry.detector.columns = 100;
    VolumeGrid grid;
    grid.voxels = {20, 30, 40};
    JobPlan plan;
    plan.views = {0, 10};
    plan.slabs = {{{0, 40}, {0, 60}}};
    plan.passes = {{{{0, 0, 0, {0, 10}}}, {0, 60}}};
    const Workload own = workload(geometry, grid, plan, 4, 1000);
    EXPECT_EQ(own.correctPixels, 10 * 100 * 60);
    EXPECT_FALSE(own.isHeld);
    const Workload held = workload(geometry, grid, plan, 4, 1000, 30);
    EXPECT_TRUE(held.isHeld);
    EXPECT_EQ(held.correctPixels, 30 * 100 * 60);
    EXPECT_EQ(held.loadBytes, 4 * held.correctPixels);
    EXPECT_EQ(held.filterPixels, 10 * 100 * 60);
}

TEST(KernelChoices, AreSlowerOnThinSlabsByWhatAColumnCosts) {
    const KernelChoice kernel = {{"columns"}, 3e9, 120, 40};
    EXPECT_DOUBLE_EQ(kernel.updatesPerSecondOn(120), 3e9);
    // For a column of 10 slices it takes as long as for 50, and 160 for one of 120.
    EXPECT_DOUBLE_EQ(kernel.updatesPerSecondOn(10), 3e9 * (160.0 / 120) / (50.0 / 10));
    EXPECT_GT(kernel.updatesPerSecondOn(300), 3e9);
    const KernelChoice even = {{"tile"}, 3e9};
    EXPECT_EQ(even.updatesPerSecondOn(1), 3e9);
}

}  // namespace
}  // namespace gantry
