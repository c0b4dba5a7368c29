#include "gpu/kernels/tile/run_rise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace gantry {
namespace {

double slopeOf(const gpu::Slope& slope) {
    return static_cast<double>(slope.rows) / slope.voxels;
}

int riseOf(float min, float max) {
    return gpu::riseOf(min, max, gpu::RiseNumbers());
}

TEST(RunRise, EveryVoxelLiesWithinTheThreeRowsThatItIsBlendedFrom) {
    std::minstd_rand random(5);
    std::uniform_real_distribution<double> share(0, 1);
    for (const gpu::Rise& rise : gpu::kRises)
        for (int i = 0; i < 1000; ++i) {
            const double from = slopeOf(rise.from);
            const double slope = from + share(random) * (slopeOf(rise.to) - from);
            const double lowest = share(random);  // of the run, in rows above row 0
            for (int j = 0; j < rise.voxels; ++j) {
                const double place = lowest + j * slope;
                const int row = gpu::rowOf(rise, j);
                // The ends of a range are reached, but for rounding.
                ASSERT_GE(place, row - 1e-9) << slope << " " << j;
                ASSERT_LE(place, row + 2 + 1e-9) << slope << " " << j;
                ASSERT_LT(row + 2, gpu::rowsOfRun(rise));
            }
            // What a run reads beyond what its topmost voxel needs, there is room for.
            const double top = lowest + (rise.voxels - 1) * slope;
            const int needed = static_cast<int>(std::floor(top + 1e-9)) + 2;
            ASSERT_LE(gpu::rowsOfRun(rise), needed + gpu::kRowsBeyondRun) << slope;
        }
}

TEST(RunRise, SlopesUpToTwoAreServedByTheLongestRunThatThereIs) {
    for (float slope = 0.01F; slope < 2; slope += 0.007F) {
        const int number = riseOf(slope, slope);
        ASSERT_LT(number, gpu::kRiseCount) << slope;
        EXPECT_GE(slope, slopeOf(gpu::kRises[number].from) - 1e-5);
        EXPECT_LE(slope, slopeOf(gpu::kRises[number].to) + 1e-5);
        EXPECT_EQ(gpu::kRises[number].voxels, slope > 0.75F && slope < 4 / 3.0F ? 8 : 4) << slope;
    }
}

TEST(RunRise, ATileOfManySlopesTakesWhatServesThemAll) {
    // Two long runs side by side, of which a short one holds both.
    const int both = riseOf(0.82F, 0.84F);
    ASSERT_LT(both, gpu::kRiseCount);
    EXPECT_EQ(gpu::kRises[both].voxels, 4);
    // None holds those on both sides of a whole row.
    EXPECT_EQ(riseOf(0.99F, 1.01F), gpu::kRiseCount);
    EXPECT_EQ(riseOf(1.9F, 2.1F), gpu::kRiseCount);
    EXPECT_EQ(riseOf(std::nanf(""), 1), gpu::kRiseCount);
}

}  // namespace
}  // namespace gantry
