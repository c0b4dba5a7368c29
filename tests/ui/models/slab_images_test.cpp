#include "ui/models/image/slab_images.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/base/error.h"

namespace gantry {
namespace {

// Odd and even sizes, another pitch along each axis, off the centre.
const VolumeGrid kSlabGrid{{37, 20, 13}, {0.2, 0.5, 1.25}, {10, -20, 2.5}};
constexpr std::array kAxes = {SliceAxis::x, SliceAxis::y, SliceAxis::z};

std::shared_ptr<std::vector<float>> randomVoxels(const VolumeGrid& grid) {
    auto voxels = std::make_shared<std::vector<float>>(static_cast<std::size_t>(grid.count()));
    std::mt19937 random(7);
    std::uniform_real_distribution<float> value(-0.01F, 0.08F);
    for (float& voxel : *voxels)
        voxel = value(random);
    return voxels;
}

// Voxel by voxel, as the definition has it.
double expected(const VoxelData& data, const SlicePlane& plane, VoxelIndex at, IndexRange slices,
                SlabKind kind) {
    std::vector<double> values;
    for (Index slice = slices.begin; slice < slices.end; ++slice) {
        at[plane.normal] = slice;
        values.push_back(static_cast<double>(data.at(at)));
    }
    if (kind == SlabKind::maximum) return *std::max_element(values.begin(), values.end());
    if (kind == SlabKind::minimum) return *std::min_element(values.begin(), values.end());
    double sum = 0;
    for (const double value : values)
        sum += value;
    return sum / static_cast<double>(values.size());
}

void expectDefinition(const VoxelData& data, SliceAxis axis, Index index, const Slab& slab) {
    // A float has 24 bits; the values are below 0.08.
    constexpr double kTolerance = 1e-8;
    const SlicePlane plane = planeOf(axis);
    const IndexRange slices = slicesOf(slab, data.grid, axis, index);
    const GreyImage image = slabImage(data, axis, index, slab);
    ASSERT_EQ(image.columns, data.grid.voxels[plane.across]);
    ASSERT_EQ(image.rows, data.grid.voxels[plane.up]);
    for (Index row = 0; row < image.rows; ++row) {
        for (Index column = 0; column < image.columns; ++column) {
            VoxelIndex at = {};
            at[plane.across] = column;
            at[plane.up] = row;
            ASSERT_NEAR(static_cast<double>(image.at(column, row)),
                        expected(data, plane, at, slices, slab.kind), kTolerance);
        }
    }
}

TEST(SlabImages, EveryPixelIsTheMeanMaximumOrMinimumOfItsVoxels) {
    const auto voxels = randomVoxels(kSlabGrid);
    const VoxelData data{kSlabGrid, voxels, *voxels};
    for (const SliceAxis axis : kAxes) {
        const Index last = kSlabGrid.voxels[planeOf(axis).normal] - 1;
        for (const SlabKind kind : {SlabKind::mean, SlabKind::maximum, SlabKind::minimum})
            for (const double thicknessMm : {0.0, 1.0, 2.6, 1e9})
                for (const Index index : {Index(0), last / 2, last})
                    expectDefinition(data, axis, index, {kind, thicknessMm});
    }
}

TEST(SlabImages, ASlabIsTheSliceWhereItHasOnlyOne) {
    const auto voxels = randomVoxels(kSlabGrid);
    const VoxelData data{kSlabGrid, voxels, *voxels};
    const GreyImage slice = slabImage(data, SliceAxis::z, 3, {SlabKind::slice, 5});
    EXPECT_EQ(slice.pixels.data(), voxels->data() + 3 * 37 * 20);
    EXPECT_EQ(slabImage(data, SliceAxis::z, 3, {SlabKind::mean, 1.5}).pixels.data(),
              slice.pixels.data());
}

TEST(SlabImages, ItsSlicesAreAboutTheCrosshairAndEndWithTheVolume) {
    const auto along = [](SliceAxis axis, double thicknessMm, Index index) {
        return slicesOf({SlabKind::mean, thicknessMm}, kSlabGrid, axis, index);
    };
    EXPECT_EQ(along(SliceAxis::z, 3 * 1.25, 6), (IndexRange{5, 8}));
    EXPECT_EQ(along(SliceAxis::z, 4 * 1.25, 6), (IndexRange{4, 8}));
    EXPECT_EQ(along(SliceAxis::z, 5 * 1.25, 0), (IndexRange{0, 3}));
    EXPECT_EQ(along(SliceAxis::x, 1.0, 36), (IndexRange{34, 37}));
    EXPECT_EQ(along(SliceAxis::x, 1e300, 36), (IndexRange{0, 37}));
    EXPECT_EQ(along(SliceAxis::x, -1, 4), (IndexRange{4, 5}));
    EXPECT_EQ(along(SliceAxis::x, std::nan(""), 4), (IndexRange{4, 5}));
}

TEST(SlabImages, AVoxelThatIsNoNumberMarksItsPixel) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (const float odd : {std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity}) {
        const auto voxels = randomVoxels(kSlabGrid);
        (*voxels)[static_cast<std::size_t>((6 * 20 + 4) * 37 + 9)] = odd;
        const VoxelData data{kSlabGrid, voxels, *voxels};
        for (const Index index : {5, 6, 7}) {  // it is the last, the middle and the first of three
            for (const SlabKind kind : {SlabKind::mean, SlabKind::maximum, SlabKind::minimum}) {
                const GreyImage image = slabImage(data, SliceAxis::z, index, {kind, 3.75});
                EXPECT_FALSE(std::isfinite(image.at(9, 4)));
                EXPECT_TRUE(std::isfinite(image.at(8, 4)));
            }
        }
    }
}

TEST(SlabImages, SaysHowManySlicesItIsOf) {
    const Slab slab{SlabKind::mean, 2.6};
    EXPECT_EQ(slabText(kSlabGrid, SliceAxis::x, 18, slab),
              sliceText(kSlabGrid, SliceAxis::x, 18) + "\nmean of 13 slices, 2.6 mm");
    EXPECT_TRUE(slabText(kSlabGrid, SliceAxis::x, 0, {SlabKind::maximum, 2.6})
                    .endsWith("\nmaximum of 7 slices, 1.4 mm"));
    EXPECT_TRUE(slabText(kSlabGrid, SliceAxis::z, 0, {SlabKind::minimum, 0.1})
                    .endsWith("\nminimum of 1 slice, 1.25 mm"));
    EXPECT_EQ(slabText(kSlabGrid, SliceAxis::z, 0, {}), sliceText(kSlabGrid, SliceAxis::z, 0));
}

TEST(SlabImages, CanBeStopped) {
    const auto voxels = randomVoxels(kSlabGrid);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW((void)slabImage({kSlabGrid, voxels, *voxels}, SliceAxis::y, 4,
                                 {SlabKind::mean, 1e9}, stop.get_token()),
                 Cancelled);
}

TEST(SlabImages, LargeOnesAreSlow) {
    const VolumeGrid large{{1000, 1000, 100}, {1, 1, 1}, {}};
    EXPECT_FALSE(isSlowSlab(large, SliceAxis::z, {}));
    EXPECT_FALSE(isSlowSlab(large, SliceAxis::z, {SlabKind::mean, 1}));
    EXPECT_TRUE(isSlowSlab(large, SliceAxis::z, {SlabKind::mean, 10}));
    EXPECT_FALSE(isSlowSlab(kSlabGrid, SliceAxis::z, {SlabKind::mean, 1e9}));
}

}  // namespace
}  // namespace gantry
