#include "ui/scene/volume/ray_density.h"

#include <gtest/gtest.h>

namespace gantry {
namespace {

TEST(RayDensity, IsFineWhereTheGpuIsQuick) {
    RayDensity density;
    EXPECT_TRUE(density.isFine());
    density.took(3);
    EXPECT_TRUE(density.isFine());
    EXPECT_EQ(density.stepVoxels(), RayDensity::kFinestStep);
    EXPECT_EQ(density.pixelsPerRay(), 1);
}

void tookTwice(RayDensity& density, double ms) {
    density.took(ms);
    density.took(ms);
}

TEST(RayDensity, TakesLongerStepsFirstAndFewerRaysThen) {
    RayDensity density;
    density.took(2 * RayDensity::kPictureMs);
    EXPECT_TRUE(density.isFine());  // one slow picture may have its own reason
    density.took(2 * RayDensity::kPictureMs);
    EXPECT_FALSE(density.isFine());
    EXPECT_GT(density.stepVoxels(), 2 * RayDensity::kFinestStep);
    EXPECT_LT(density.stepVoxels(), 3 * RayDensity::kFinestStep);
    EXPECT_EQ(density.pixelsPerRay(), 1);
    tookTwice(density, 8 * RayDensity::kPictureMs);
    EXPECT_EQ(density.stepVoxels(), RayDensity::kCoarsestStep);
    EXPECT_GT(density.pixelsPerRay(), 2);
    tookTwice(density, 1e6);
    EXPECT_EQ(density.pixelsPerRay(), RayDensity::kMaxPixelsPerRay);
    for (int i = 0; i < 30; ++i)
        density.took(RayDensity::kPictureMs / 3);
    EXPECT_TRUE(density.isFine());
}

TEST(RayDensity, AFinePictureTellsItAtOnce) {
    RayDensity density;
    density.restedFor(10 * RayDensity::kPictureMs);
    EXPECT_EQ(density.stepVoxels(), RayDensity::kCoarsestStep);
    EXPECT_GT(density.pixelsPerRay(), 1.5);
    EXPECT_LT(density.pixelsPerRay(), 2);
    // What is about right is left alone.
    const double rays = density.pixelsPerRay();
    density.restedFor(13 * RayDensity::kPictureMs);
    EXPECT_EQ(density.pixelsPerRay(), rays);
    density.restedFor(RayDensity::kPictureMs / 4);
    EXPECT_TRUE(density.isFine());
}

// A card whose time is as the samples, and a little for each picture, gets to its rate and stays.
TEST(RayDensity, SettlesAtItsTime) {
    for (const double samplesMs : {10.0, 40.0, 150.0, 600.0}) {
        RayDensity density;
        const auto ms = [&] {
            const double rays = 1 / (density.pixelsPerRay() * density.pixelsPerRay());
            return 3 + samplesMs * rays * RayDensity::kFinestStep / density.stepVoxels();
        };
        for (int i = 0; i < 12; ++i)
            density.took(ms());
        const double step = density.stepVoxels();
        const double rays = density.pixelsPerRay();
        for (int i = 0; i < 12; ++i) {
            EXPECT_LE(ms(), RayDensity::kPictureMs) << samplesMs;
            density.took(ms());
        }
        EXPECT_EQ(density.stepVoxels(), step) << samplesMs;
        EXPECT_EQ(density.pixelsPerRay(), rays) << samplesMs;
    }
}

}  // namespace
}  // namespace gantry
