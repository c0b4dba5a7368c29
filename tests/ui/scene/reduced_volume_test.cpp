#include "ui/scene/volume/reduced_volume.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.h"

namespace gantry {
namespace {

TEST(ReducedVolume, SmallOnesKeepTheirGridAndValues) {
    const VolumeGrid grid{{2, 2, 1}, {1, 1, 1}, {7, 8, 9}};
    const std::vector<float> voxels = {1, 2, 3, 5};
    const ReducedVolume reduced = reducedVolume(grid, voxels, 4);
    EXPECT_EQ(reduced.grid, grid);
    EXPECT_EQ(reduced.low, 1);
    EXPECT_EQ(reduced.high, 5);
    EXPECT_EQ(reduced.voxels, (std::vector<std::uint16_t>{0, 16384, 32768, 65535}));
    EXPECT_DOUBLE_EQ(reduced.code(3), 65535.0 / 2);
}

// 5 voxels by blocks of 2: two blocks and half of a third, whose middle lies beyond the box.
TEST(ReducedVolume, BlocksBecomeMeansInTheSamePlace) {
    const VolumeGrid grid{{5, 1, 1}, {2, 2, 2}, {0, 0, 0}};
    const std::vector<float> voxels = {0, 2, 4, 6, 10};
    const ReducedVolume reduced = reducedVolume(grid, voxels, 3);
    EXPECT_EQ(reduced.grid.voxels, (std::array<Index, 3>{3, 1, 1}));
    EXPECT_EQ(reduced.grid.pitchMm[0], 4);
    EXPECT_NEAR(reduced.grid.positionMm(0, 0, 0).x, (-4 - 2) / 2.0, 1e-12);
    EXPECT_EQ(reduced.low, 1);
    EXPECT_EQ(reduced.high, 10);
    EXPECT_EQ(reduced.voxels[1], std::lround(65535 * 4.0 / 9));
}

TEST(ReducedVolume, WhatIsNotFiniteCountsAsTheSmallest) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinite = std::numeric_limits<float>::infinity();
    const VolumeGrid grid{{4, 1, 1}, {1, 1, 1}, {0, 0, 0}};
    const ReducedVolume some = reducedVolume(grid, std::vector<float>{nan, 2, 4, infinite}, 8);
    EXPECT_EQ(some.voxels, (std::vector<std::uint16_t>{0, 0, 65535, 0}));
    const ReducedVolume none = reducedVolume(grid, std::vector<float>{nan, nan, nan, nan}, 8);
    EXPECT_EQ(none.voxels, (std::vector<std::uint16_t>{0, 0, 0, 0}));
    EXPECT_LT(none.low, none.high);
}

TEST(ReducedVolume, AConstantVolumeHasARange) {
    const VolumeGrid grid{{2, 1, 1}, {1, 1, 1}, {0, 0, 0}};
    const ReducedVolume reduced = reducedVolume(grid, std::vector<float>{3, 3}, 8);
    EXPECT_LT(reduced.low, reduced.high);
    EXPECT_TRUE(std::isfinite(reduced.code(3)));
}

TEST(ReducedVolume, StopsWhenTold) {
    const VolumeGrid grid{{8, 8, 8}, {1, 1, 1}, {0, 0, 0}};
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW((void)reducedVolume(grid, std::vector<float>(512), 8, stop.get_token()),
                 Cancelled);
}

}  // namespace
}  // namespace gantry
