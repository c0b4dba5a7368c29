#include "core/plan/host_memory.h"

#include <gtest/gtest.h>

#include "tests/core/plan/plan_scan.h"

namespace gantry {
namespace {

constexpr Index kColumns = 101;
constexpr Index kRows = 67;
constexpr VolumeGrid kOddGrid = {{53, 47, 61}, {0.4, 0.4, 0.4}, {}};

Acquisition acquisitionOf(PixelType type = PixelType::uint16, double rollDeg = 0,
                          double offsetMm = 0) {
    return test::acquisitionOf(kColumns, kRows, type, rollDeg, offsetMm);
}

// A plan whose numbers are all different, so that none can stand for another.
JobPlan somePlan() {
    JobPlan plan;
    plan.threads = 3;
    plan.batchViews = 7;
    plan.ringSlots = 5;
    plan.chunkSlots = 4;
    plan.chunkSlices = 2;
    plan.handedOver = ViewState::filtered;
    return plan;
}

Index runBytes(const Acquisition& acquisition, const JobPlan& plan) {
    return hostBytesOfRun(acquisition, plan, kOddGrid);
}

TEST(HostMemory, OfARunIsTheSumOfWhatItHolds) {
    const Acquisition acquisition = acquisitionOf();
    const JobPlan plan = somePlan();
    const Index program = 60'000'000;
    const Index chunks = 4 * 2 * (53 * 47 * 4);
    const Index darkFlatAndMask = kRows * kColumns * (4 + 4 + 1);
    const Index decoded = 3 * kRows * kColumns * 2;
    const Index filter = 3 * 256 * kColumns;
    const Index checked = kRows * kColumns * (2 + 4);
    EXPECT_EQ(runBytes(acquisition, plan),
              program + chunks + darkFlatAndMask + decoded + filter + checked);
}

TEST(HostMemory, OfARunHoldsTheFieldsOfEveryTimeOfTheScan) {
    Acquisition acquisition = acquisitionOf();
    const Index usual = runBytes(acquisition, somePlan());
    auto changing = std::make_shared<DetectorCalibration>();
    changing->dark = HostBuffer<float>(kRows * kColumns);
    changing->flat = HostBuffer<float>(kRows * kColumns);
    changing->bad = HostBuffer<unsigned char>(kRows * kColumns);
    acquisition.calibration = changing;
    EXPECT_EQ(runBytes(acquisition, somePlan()), usual);
    changing->laterFlats.push_back({9, HostBuffer<float>(kRows * kColumns)});
    EXPECT_EQ(runBytes(acquisition, somePlan()) - usual, kRows * kColumns * 4);
}

TEST(HostMemory, OfARunGrowsWithEachOfItsParts) {
    const Acquisition acquisition = acquisitionOf();
    const Index usual = runBytes(acquisition, somePlan());
    JobPlan plan = somePlan();
    plan.chunkSlots = 5;
    EXPECT_EQ(runBytes(acquisition, plan) - usual, 2 * 53 * 47 * 4);
    plan = somePlan();
    plan.chunkSlices = 3;
    EXPECT_EQ(runBytes(acquisition, plan) - usual, 4 * 53 * 47 * 4);
    plan = somePlan();
    plan.threads = 4;
    EXPECT_EQ(runBytes(acquisition, plan) - usual, kRows * kColumns * 2 + 256 * kColumns);
    plan = somePlan();
    plan.handedOver = ViewState::prepared;
    EXPECT_EQ(usual - runBytes(acquisition, plan), 3 * 256 * kColumns) << "devices filter";
    EXPECT_EQ(runBytes(acquisitionOf(PixelType::float32), somePlan()) - usual,
              (3 + 1) * kRows * kColumns * 2)
        << "of three threads and the one that checks pictures";
    EXPECT_EQ(runBytes(acquisitionOf(PixelType::uint16, 1.5), somePlan()) - usual,
              3 * kRows * kColumns * 4)
        << "a rolled detector's rows are resampled from a view of floats";
    const Acquisition offset = acquisitionOf(PixelType::uint16, 0, 12);
    const Index columns = offset.geometry.detector.columns;
    ASSERT_GT(columns, kColumns) << "an offset detector is padded";
    EXPECT_EQ(runBytes(offset, somePlan()) - usual, 3 * 256 * (columns - kColumns));
}

TEST(HostMemory, OfAPassIsThatOfItsBatches) {
    const Acquisition acquisition = acquisitionOf();
    const IndexRange rows = {11, 30};
    JobPlan plan = somePlan();
    const Index stored = 19 * kColumns * 2;
    const Index floats = 19 * kColumns * 4;
    EXPECT_EQ(hostBytesOfPass(acquisition, plan, {{}, rows}), 5 * 7 * (stored + floats));
    plan.handedOver = ViewState::prepared;
    EXPECT_EQ(hostBytesOfPass(acquisition, plan, {{}, rows}), 5 * 7 * (stored + floats));
    plan.handedOver = ViewState::stored;
    EXPECT_EQ(hostBytesOfPass(acquisition, plan, {{}, rows}), 5 * 7 * stored);
    EXPECT_EQ(hostBytesOfPass(acquisition, plan, {}), 0);

    const Acquisition rolled = acquisitionOf(PixelType::uint16, 2);
    const Index real = rolled.rectifier.sourceRows(rows).size();
    ASSERT_GT(real, 19) << "rolled rows cut across real ones";
    plan.handedOver = ViewState::filtered;
    EXPECT_EQ(hostBytesOfPass(rolled, plan, {{}, rows}), 5 * 7 * (real * kColumns * 2 + floats));

    const Acquisition offset = acquisitionOf(PixelType::uint16, 0, 12);
    EXPECT_EQ(hostBytesOfPass(offset, plan, {{}, rows}),
              5 * 7 * (stored + 19 * offset.geometry.detector.columns * 4));
}

TEST(HostMemory, ChunksAreOfAboutTheSizeAskedForAndAtLeastSixteen) {
    const Index slice = 53 * 47 * 4;
    EXPECT_EQ(chunkSlicesOf(kOddGrid, 3 * slice), 3);
    EXPECT_EQ(chunkSlicesOf(kOddGrid, 3 * slice - 1), 2);
    EXPECT_EQ(chunkSlicesOf(kOddGrid, slice - 1), 1) << "at least a slice";
    EXPECT_EQ(chunkSlicesOf(kOddGrid, 61 * slice), 3) << "61 slices make 16 chunks of 3";
    EXPECT_EQ(chunkSlicesOf({{5, 7, 9}, {1, 1, 1}, {}}, 1'000'000), 1);
}

TEST(HostMemory, BatchesCoverTheViews) {
    const Acquisition acquisition = acquisitionOf();  // 90 views
    ReconstructionRequest request;
    request.threads = 5;
    request.memoryBytes = 123'456'789;
    Machine machine;
    machine.threads = 11;
    machine.freeBytes = 1'000'000'000;
    const auto batches = [&] { return batchesOf({acquisition, request, machine, {}, {}}); };
    JobPlan plan = batches();
    EXPECT_EQ(plan.threads, 5);
    EXPECT_EQ(plan.budgetBytes, 123'456'789);
    EXPECT_EQ(plan.batchViews, 32);
    EXPECT_EQ(plan.batchesPerPass, 3);
    request.batchViews = 30;
    EXPECT_EQ(batches().batchesPerPass, 3);
    request.batchViews = 29;
    EXPECT_EQ(batches().batchesPerPass, 4);
    request.batchViews = 1000;
    plan = batches();
    EXPECT_EQ(plan.batchViews, 90);
    EXPECT_EQ(plan.batchesPerPass, 1);
    request.memoryBytes = 0;
    request.threads = 0;
    EXPECT_EQ(batches().budgetBytes, 700'000'000) << "a part of what is free";
    EXPECT_EQ(batches().threads, 11);
}

TEST(HostMemory, EachStoredRowIsCountedInTheFirstSlabThatReadsIt) {
    const Acquisition acquisition = acquisitionOf();
    JobPlan plan = somePlan();
    for (const IndexRange rows : {IndexRange{0, 20}, IndexRange{15, 40}, IndexRange{}, {38, 67}})
        plan.slabs.push_back({{}, rows});
    countOnce(plan, acquisition);
    EXPECT_EQ(plan.slabs[0].counted, (IndexRange{0, 20}));
    EXPECT_EQ(plan.slabs[1].counted, (IndexRange{20, 40}));
    EXPECT_TRUE(plan.slabs[2].counted.empty());
    EXPECT_EQ(plan.slabs[3].counted, (IndexRange{40, 67}));
    const Acquisition rolled = acquisitionOf(PixelType::uint16, 2);
    countOnce(plan, rolled);
    EXPECT_EQ(plan.slabs[1].counted.begin, rolled.rectifier.sourceRows({0, 20}).end);
}

TEST(HostMemory, OfPairsTheRowsAreCountedFromBothSidesInwards) {
    const Acquisition acquisition = acquisitionOf();
    JobPlan plan = somePlan();
    plan.slabs = {
        {{}, {{8, 20}, {40, 52}}}, {{}, {{18, 25}, {33, 42}}}, {{}, {24, 36}}, {{}, {50, 67}}};
    countOnce(plan, acquisition);
    EXPECT_EQ(plan.slabs[0].counted, (IndexRange{8, 52}));
    EXPECT_EQ(plan.slabs[1].counted, (IndexRange{20, 40}));
    EXPECT_EQ(plan.slabs[2].counted, (IndexRange{25, 33}));
    EXPECT_EQ(plan.slabs[3].counted, (IndexRange{52, 67}));
}

TEST(HostMemory, OfGatheredViewsEachRankHoldsItsPartAndItsOwnRows) {
    const Acquisition acquisition = acquisitionOf();
    const JobPlan plan = somePlan();
    PassPlan pass = {{}, {11, 30}};
    pass.column = {{Index{0}, {4, 15}}, {Index{1}, {11, 30}}, {std::nullopt, {}}};
    const Index rowBytes = kColumns * 4;
    // One of 3 ranks reads at most 3 views of a batch of 7, all rows that one of them needs.
    const Index read = 5 * 3 * 26 * (kColumns * 2 + rowBytes);
    const Index gathered = 5 * 7 * 19 * rowBytes;
    const Index given = 3 * (11 + 19) * rowBytes;
    EXPECT_EQ(hostBytesOfPass(acquisition, plan, pass), read + gathered + given);
}

TEST(HostMemory, WhatIsSummedNeedsRoomForTheOtherRanks) {
    const Acquisition acquisition = acquisitionOf();
    JobPlan plan = somePlan();
    const Index alone = runBytes(acquisition, plan);
    plan.part = GridPart{};
    const Index usual = runBytes(acquisition, plan);
    EXPECT_EQ(usual - alone, 25'000'000) << "MPI's own";
    plan.part->plan.grid.columns = 3;
    EXPECT_EQ(runBytes(acquisition, plan) - usual, 2 * 53 * 47 * 4);
}

TEST(HostMemory, OfAPassWithTwoRangesOfRowsIsThatOfBoth) {
    const Acquisition acquisition = acquisitionOf();
    const JobPlan plan = somePlan();
    EXPECT_EQ(hostBytesOfPass(acquisition, plan, {{}, {{3, 11}, {40, 51}}}),
              hostBytesOfPass(acquisition, plan, {{}, {11, 30}}));
}

}  // namespace
}  // namespace gantry
