#include "core/metrics/region.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "tests/core/metrics/volumes.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

using test::structured;
using test::Volume;

constexpr float kOutside = std::numeric_limits<float>::quiet_NaN();

// The reference: goes through all voxels in two passes.
RegionStatistics naive(const Volume& volume, const VolumeGrid& grid, Vec3 center, double radius) {
    std::vector<double> values;
    for (Index z = 0; z < volume.nZ; ++z)
        for (Index y = 0; y < volume.nY; ++y)
            for (Index x = 0; x < volume.nX; ++x) {
                const Vec3 p = grid.positionMm(static_cast<double>(x), static_cast<double>(y),
                                               static_cast<double>(z));
                if (length(p - center) <= radius)
                    values.push_back(static_cast<double>(volume.view()(z, y, x)));
            }
    RegionStatistics result;
    result.voxels = static_cast<Index>(values.size());
    const auto n = static_cast<double>(values.size());
    for (const double value : values)
        result.mean += value / n;
    for (const double value : values)
        result.standardDeviation += (value - result.mean) * (value - result.mean) / (n - 1);
    result.standardDeviation = std::sqrt(result.standardDeviation);
    return result;
}

TEST(Region, SphereOnAnAnisotropicOffCentreGridAgreesWithAllVoxelsOneByOne) {
    const Volume volume = structured(13, 17, 19, 1);
    const VolumeGrid grid = {{19, 17, 13}, {0.7, 1.1, 1.9}, {3, -5, 8}};
    for (const Vec3 center : {Vec3{3, -5, 8}, Vec3{5.2, -3.1, 4.4}, Vec3{-4, -14, 20}}) {
        const RegionStatistics found = sphereStatistics(volume.view(), grid, center, 5.3);
        const RegionStatistics expected = naive(volume, grid, center, 5.3);
        EXPECT_EQ(found.voxels, expected.voxels);
        // Double rounding over some hundred values of about 1.
        EXPECT_NEAR(found.mean, expected.mean, 1e-13);
        EXPECT_NEAR(found.standardDeviation, expected.standardDeviation, 1e-13);
        EXPECT_LE(found.smallest, found.mean);
        EXPECT_GE(found.largest, found.mean);
    }
}

TEST(Region, HasTheFiguresOfACaseDoneByHand) {
    Volume volume(1, 1, 5);
    volume.voxels = {100, 1, 2, 6, -100};
    const VolumeGrid grid = {{5, 1, 1}, {2, 2, 2}, {}};
    const RegionStatistics found = sphereStatistics(volume.view(), grid, {0, 0, 0}, 2);
    EXPECT_EQ(found.voxels, 3);
    EXPECT_DOUBLE_EQ(found.mean, 3);
    EXPECT_DOUBLE_EQ(found.standardDeviation, std::sqrt(14 / 2.0));
    EXPECT_EQ(found.smallest, 1);
    EXPECT_EQ(found.largest, 6);
    EXPECT_EQ(sphereStatistics(volume.view(), grid, {0, 0, 0}, 0.5).standardDeviation, 0);
}

TEST(Region, KeepsItsDigitsOnALargeMean) {
    Volume volume(1, 100, 100);
    for (std::size_t i = 0; i < volume.voxels.size(); ++i)
        volume.voxels[i] = 1e6F + (i % 2 == 0 ? 1.0F : -1.0F);
    const VolumeGrid grid = {{100, 100, 1}, {1, 1, 1}, {}};
    const RegionStatistics found = sphereStatistics(volume.view(), grid, {}, 100);
    ASSERT_EQ(found.voxels, 10000);
    // ±1 about 1e6, exact in float; the recurrence keeps about 1e-9 of it.
    EXPECT_NEAR(found.mean, 1e6, 1e-6);
    EXPECT_NEAR(found.standardDeviation, std::sqrt(10000.0 / 9999), 1e-8);
}

TEST(Region, NaNIsCountedApart) {
    Volume volume(1, 2, 3);
    volume.voxels = {1, kOutside, 3, 100, 8, kOutside};
    const RegionStatistics found =
        sphereStatistics(volume.view(), {{3, 2, 1}, {1, 1, 1}, {}}, {}, 5);
    EXPECT_EQ(found.voxels, 4);
    EXPECT_EQ(found.notFinite, 2);
    EXPECT_DOUBLE_EQ(found.mean, 28);
    EXPECT_EQ(found.largest, 100);
}

TEST(Region, RefusesRegionsWithoutVoxels) {
    const Volume volume(2, 3, 4, 1);
    const VolumeGrid grid = {{4, 3, 2}, {1, 1, 1}, {}};
    EXPECT_ERROR((void)sphereStatistics(volume.view(), grid, {50, 0, 0}, 3), InputError,
                 "radius 3 mm around (50, 0, 0) mm holds no voxel");
    EXPECT_ERROR((void)sphereStatistics(volume.view(), grid, {}, 0), InputError, "radius is 0 mm");
    EXPECT_ERROR((void)sphereStatistics(volume.view(), grid,
                                        {std::numeric_limits<double>::infinity(), 0, 0}, 1),
                 InputError, "centre");
    EXPECT_ERROR((void)sphereStatistics(Volume(2, 3, 4, kOutside).view(), grid, {}, 1), InputError,
                 "holds no voxel");
}

TEST(Region, BoxOnAnAnisotropicOffCentreGridCountsTheCentresInIt) {
    const Volume volume = structured(13, 17, 19, 1);
    const VolumeGrid grid = {{19, 17, 13}, {0.7, 1.1, 1.9}, {3, -5, 8}};
    // From centre to centre along x: both faces count.
    const double left = grid.positionMm(3, 0, 0).x;
    const double right = grid.positionMm(9, 0, 0).x;
    const WorldBox box{{left, -8.1, 4}, {right, -2.2, 90}};
    const RegionStatistics found = boxStatistics(volume.view(), grid, box);
    RegionGather expected;
    for (Index z = 0; z < 13; ++z)
        for (Index y = 0; y < 17; ++y)
            for (Index x = 3; x <= 9; ++x) {
                const Vec3 p = grid.positionMm(static_cast<double>(x), static_cast<double>(y),
                                               static_cast<double>(z));
                if (p.y >= -8.1 && p.y <= -2.2 && p.z >= 4) expected.add(volume.view()(z, y, x));
            }
    EXPECT_EQ(found.voxels, expected.result().voxels);
    EXPECT_EQ(found.mean, expected.result().mean);
    EXPECT_EQ(found.standardDeviation, expected.result().standardDeviation);
    const WorldBox outside{{90, 0, 0}, {91, 1, 1}};
    const std::vector<Index> bins = boxHistogram(volume.view(), grid, box, found);
    EXPECT_EQ(bins.size(), kRegionBins);
    EXPECT_EQ(std::accumulate(bins.begin(), bins.end(), Index{0}), found.voxels);
    EXPECT_GT(bins.front(), 0);
    EXPECT_GT(bins.back(), 0);
    EXPECT_ERROR((void)boxStatistics(volume.view(), grid, outside), InputError, "x 90 to 91");
    const WorldBox turned{{0, 1, 0}, {1, 0, 1}};
    EXPECT_ERROR((void)voxelsIn(grid, turned), InputError, "along y from 1 to 0");
}

TEST(Region, HistogramCountsBothEndsAndNothingElse) {
    std::vector<Index> bins(4);
    countInto(bins, 0, 1, std::vector<float>{0, 0.3F, 1, 2, -1, kOutside});
    EXPECT_EQ(bins, (std::vector<Index>{1, 1, 0, 1}));
    countInto(bins, 0.5, 0.5, std::vector<float>{0.5F});  // of one value only
    EXPECT_EQ(bins[0], 2);
}

}  // namespace
}  // namespace gantry
