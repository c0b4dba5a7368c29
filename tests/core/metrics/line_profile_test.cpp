#include "core/metrics/line_profile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/core/metrics/volumes.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

using test::Volume;

// 2x + 3y − 5z + 1 is what trilinear interpolation gives back exactly.
Volume ramp(Index nZ, Index nY, Index nX) {
    Volume volume(nZ, nY, nX);
    for (Index z = 0; z < nZ; ++z)
        for (Index y = 0; y < nY; ++y)
            for (Index x = 0; x < nX; ++x)
                volume.at(z, y, x) = static_cast<float>(2 * x + 3 * y - 5 * z + 1);
    return volume;
}

TEST(LineProfile, FollowsALinearVolumeExactly) {
    const Volume volume = ramp(5, 7, 9);
    const std::vector<double> values =
        lineProfile(volume.view(), {0.5, 6, 0}, {7.25, 1.5, 3.75}, 11);
    ASSERT_EQ(values.size(), 11U);
    for (int i = 0; i <= 10; ++i) {
        const double t = i / 10.0;
        const double x = 0.5 + 6.75 * t, y = 6 - 4.5 * t, z = 3.75 * t;
        // Double rounding of values below 50.
        EXPECT_NEAR(values[static_cast<std::size_t>(i)], 2 * x + 3 * y - 5 * z + 1, 1e-12);
    }
}

TEST(LineProfile, TakesVoxelsAtTheirCentresEndsIncluded) {
    const Volume volume = test::structured(3, 4, 6, 1);
    const std::vector<double> values = lineProfile(volume.view(), {0, 2, 1}, {5, 2, 1}, 6);
    for (Index x = 0; x < 6; ++x)
        EXPECT_EQ(values[static_cast<std::size_t>(x)], static_cast<double>(volume.view()(1, 2, x)));
}

TEST(LineProfile, IsConstantInTheOuterHalfOfBorderVoxels) {
    const Volume volume = ramp(4, 4, 4);
    EXPECT_EQ(lineProfile(volume.view(), {-0.5, 0, 0}, {0, 0, 0}, 3),
              (std::vector<double>{1, 1, 1}));
    EXPECT_EQ(lineProfile(volume.view(), {3, 3, 3.5}, {3, 3, 3}, 2), (std::vector<double>{1, 1}));
    // A volume of one voxel is the same all over.
    EXPECT_EQ(lineProfile(Volume(1, 1, 1, 7).view(), {-0.5, 0, 0}, {0.5, 0.2, -0.3}, 2),
              (std::vector<double>{7, 7}));
}

TEST(LineProfile, ANaNBesideTheLineDoesNotReachIt) {
    Volume volume = ramp(3, 3, 3);
    volume.at(1, 2, 1) = std::numeric_limits<float>::quiet_NaN();
    for (const double value : lineProfile(volume.view(), {0, 1, 1}, {2, 1, 1}, 5))
        EXPECT_TRUE(std::isfinite(value));
}

TEST(LineProfile, RefusesEndsOutsideTheVolume) {
    const Volume volume = ramp(4, 5, 6);
    const auto v = volume.view();
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    EXPECT_ERROR((void)lineProfile(v, {-0.6, 0, 0}, {1, 1, 1}, 3), InputError,
                 "start has x = -0.6 voxels; it must be between -0.5 and 5.5");
    EXPECT_ERROR((void)lineProfile(v, {0, 0, 0}, {1, 4.6, 1}, 3), InputError, "end has y = 4.6");
    EXPECT_ERROR((void)lineProfile(v, {0, 0, 0}, {1, 1, kUnknown}, 3), InputError, "end has z");
    EXPECT_ERROR((void)lineProfile(v, {0, 0, 0}, {1, 1, 1}, 1), InputError, "1 samples");
}

TEST(VoxelLine, HasTwoSamplesAVoxelAndBothEnds) {
    const VolumeGrid grid = {{19, 17, 13}, {0.7, 1.1, 1.9}, {3, -5, 8}};
    const VoxelLine line = voxelLine(grid, grid.positionMm(2, 3, 4), grid.positionMm(8, 3, 12));
    EXPECT_EQ(line.samples, 21);  // of 10 voxels
    for (std::size_t axis = 0; axis < 3; ++axis) {
        // Double rounding of some mm.
        EXPECT_NEAR(line.at(0)[axis], (std::array<double, 3>{2, 3, 4})[axis], 1e-12);
        EXPECT_NEAR(line.at(20)[axis], (std::array<double, 3>{8, 3, 12})[axis], 1e-12);
    }
    EXPECT_NEAR(line.lengthMm, std::hypot(6 * 0.7, 8 * 1.9), 1e-12);
    EXPECT_EQ(voxelLine(grid, {3, -5, 8}, {3, -5, 8}).samples, 2);
}

}  // namespace
}  // namespace gantry
