#include "core/prep/pixel_repair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace gantry {
namespace {

constexpr Index kPictureRows = 90;
constexpr Index kPictureColumns = 40;

struct Block {
    IndexRange rows;
    IndexRange columns;
};

DetectorCalibration withBad(const std::vector<Block>& blocks) {
    DetectorCalibration calibration;
    calibration.rows = kPictureRows;
    calibration.columns = kPictureColumns;
    calibration.bad = HostBuffer<unsigned char>(kPictureRows * kPictureColumns);
    std::ranges::fill(calibration.bad.span(), static_cast<unsigned char>(0));
    for (const Block& block : blocks)
        for (Index v = block.rows.begin; v < block.rows.end; ++v)
            for (Index u = block.columns.begin; u < block.columns.end; ++u)
                calibration.bad[v * kPictureColumns + u] = 1;
    return calibration;
}

// A plane, which linear interpolation gives exactly.
float plane(Index v, Index u) {
    return 0.5F + 0.25F * static_cast<float>(v) - 0.125F * static_cast<float>(u);
}

// Rows of a view with this content, in which dead pixels have another value.
HostBuffer<float> viewOf(const DetectorCalibration& calibration, IndexRange rows) {
    HostBuffer<float> view(rows.size() * kPictureColumns);
    for (Index v = rows.begin; v < rows.end; ++v)
        for (Index u = 0; u < kPictureColumns; ++u)
            view[(v - rows.begin) * kPictureColumns + u] =
                calibration.bad[v * kPictureColumns + u] != 0 ? -1000.0F : plane(v, u);
    return view;
}

void expectPlane(const DetectorCalibration& calibration, IndexRange wanted) {
    const auto repair = PixelRepair::of(calibration);
    ASSERT_NE(repair, nullptr);
    const IndexRange rows = repair->rowsFor(wanted);
    HostBuffer<float> view = viewOf(calibration, rows);
    repair->apply(rows.begin, {view.data(), 1, rows.size(), kPictureColumns});
    for (Index v = wanted.begin; v < wanted.end; ++v)
        for (Index u = 0; u < kPictureColumns; ++u)
            EXPECT_NEAR(view[(v - rows.begin) * kPictureColumns + u], plane(v, u), 1e-5)
                << v << ", " << u;
}

TEST(PixelRepair, SinglePixelsOfARowNeedNoPlan) {
    EXPECT_EQ(PixelRepair::of(withBad({})), nullptr);
    EXPECT_EQ(PixelRepair::of(withBad({{{4, 5}, {7, 8}}, {{4, 5}, {9, 10}}})), nullptr);
    // Columns are repaired in the same way, by their neighbours left and right.
    EXPECT_EQ(PixelRepair::of(withBad({{{0, kPictureRows}, {7, 8}}})), nullptr);
    EXPECT_EQ(PixelRepair::of(withBad({{{4, 5}, {0, 1}}, {{0, kPictureRows}, {39, 40}}})), nullptr);
    DetectorCalibration unmasked;
    unmasked.rows = kPictureRows;
    unmasked.columns = kPictureColumns;
    EXPECT_EQ(PixelRepair::of(unmasked), nullptr);
}

TEST(PixelRepair, DeadRowsComeFromTheRowsAboveAndBelow) {
    const DetectorCalibration calibration = withBad({{{30, 34}, {0, kPictureColumns}}});
    expectPlane(calibration, {0, kPictureRows});
    expectPlane(calibration, {32, 33});
    const auto repair = PixelRepair::of(calibration);
    EXPECT_EQ(repair->rowsFor({32, 33}), (IndexRange{29, 35}));
    EXPECT_EQ(repair->rowsFor({20, 30}), (IndexRange{20, 30}));
    EXPECT_EQ(repair->rowsFor({25, 31}), (IndexRange{25, 35}));
}

TEST(PixelRepair, DeadColumnsComeFromLeftAndRightAndNeedNoOtherRows) {
    const DetectorCalibration calibration = withBad({{{0, kPictureRows}, {20, 25}}});
    expectPlane(calibration, {0, kPictureRows});
    EXPECT_EQ(PixelRepair::of(calibration)->rowsFor({3, 9}), (IndexRange{3, 9}));
}

TEST(PixelRepair, BlocksComeFromAllSides) {
    expectPlane(withBad({{{10, 17}, {20, 26}}}), {0, kPictureRows});
    // In a corner of a cross of dead rows and columns the pixels have no near neighbour at all, but
    // the pixels beside it have.
    const DetectorCalibration cross =
        withBad({{{10, 13}, {0, kPictureColumns}}, {{0, kPictureRows}, {20, 23}}});
    const auto repair = PixelRepair::of(cross);
    HostBuffer<float> view = viewOf(cross, {0, kPictureRows});
    repair->apply(0, {view.data(), 1, kPictureRows, kPictureColumns});
    EXPECT_NEAR(view[11 * kPictureColumns + 5], plane(11, 5), 1e-5);
    EXPECT_NEAR(view[40 * kPictureColumns + 21], plane(40, 21), 1e-5);
}

TEST(PixelRepair, AtTheEdgeOneSideHasToDo) {
    const DetectorCalibration calibration = withBad({{{0, 2}, {0, kPictureColumns}}});
    const auto repair = PixelRepair::of(calibration);
    EXPECT_EQ(repair->rowsFor({0, 1}), (IndexRange{0, 3}));
    HostBuffer<float> view = viewOf(calibration, {0, 3});
    repair->apply(0, {view.data(), 1, 3, kPictureColumns});
    for (Index u = 0; u < kPictureColumns; ++u) {
        EXPECT_FLOAT_EQ(view[u], plane(2, u));
        EXPECT_FLOAT_EQ(view[kPictureColumns + u], plane(2, u));
    }
}

TEST(PixelRepair, WithoutItsOtherRowsItUsesThoseThatItHas) {
    const DetectorCalibration calibration = withBad({{{30, 32}, {0, kPictureColumns}}});
    HostBuffer<float> view = viewOf(calibration, {29, 31});
    PixelRepair::of(calibration)->apply(29, {view.data(), 1, 2, kPictureColumns});
    EXPECT_FLOAT_EQ(view[kPictureColumns + 6], plane(29, 6));
}

TEST(PixelRepair, RowsWithoutAGoodPixelAreKnownOnlyBetweenGoodOnes) {
    EXPECT_TRUE(deadRowsOf(withBad({{{0, kPictureRows}, {0, kPictureColumns - 1}}})).empty());
    const IndexRange all = {0, kPictureColumns};
    const std::vector<DeadRows> expected = {{{0, 2}, false}, {{8, 9}, true}, {{20, 85}, false}};
    EXPECT_EQ(deadRowsOf(withBad({{{0, 2}, all}, {{8, 9}, all}, {{20, 85}, all}})), expected);
    // The middle is too far from both sides.
    const auto far = PixelRepair::of(withBad({{{20, 85}, all}}));
    EXPECT_EQ(far->rowsFor({20, 21}), (IndexRange{19, 21}));
}

}  // namespace
}  // namespace gantry
