#include "ui/scene/volume/card_pace.h"

#include <gtest/gtest.h>

namespace gantry {
namespace {

TEST(CardPace, IsFineWhereTheCardIsQuick) {
    CardPace pace;
    EXPECT_TRUE(pace.isFine());
    pace.took(3);
    EXPECT_TRUE(pace.isFine());
    EXPECT_EQ(pace.stepVoxels(), CardPace::kFinestStep);
    EXPECT_EQ(pace.pixelsPerRay(), 1);
}

void tookTwice(CardPace& pace, double ms) {
    pace.took(ms);
    pace.took(ms);
}

TEST(CardPace, TakesLongerStepsFirstAndFewerRaysThen) {
    CardPace pace;
    pace.took(2 * CardPace::kPictureMs);
    EXPECT_TRUE(pace.isFine());  // one slow picture may have its own reason
    pace.took(2 * CardPace::kPictureMs);
    EXPECT_FALSE(pace.isFine());
    EXPECT_GT(pace.stepVoxels(), 2 * CardPace::kFinestStep);
    EXPECT_LT(pace.stepVoxels(), 3 * CardPace::kFinestStep);
    EXPECT_EQ(pace.pixelsPerRay(), 1);
    tookTwice(pace, 8 * CardPace::kPictureMs);
    EXPECT_EQ(pace.stepVoxels(), CardPace::kCoarsestStep);
    EXPECT_GT(pace.pixelsPerRay(), 2);
    tookTwice(pace, 1e6);
    EXPECT_EQ(pace.pixelsPerRay(), CardPace::kMostPixelsPerRay);
    for (int i = 0; i < 30; ++i)
        pace.took(CardPace::kPictureMs / 3);
    EXPECT_TRUE(pace.isFine());
}

TEST(CardPace, AFinePictureTellsItAtOnce) {
    CardPace pace;
    pace.restedFor(10 * CardPace::kPictureMs);
    EXPECT_EQ(pace.stepVoxels(), CardPace::kCoarsestStep);
    EXPECT_GT(pace.pixelsPerRay(), 1.5);
    EXPECT_LT(pace.pixelsPerRay(), 2);
    // What is about right is left alone.
    const double rays = pace.pixelsPerRay();
    pace.restedFor(13 * CardPace::kPictureMs);
    EXPECT_EQ(pace.pixelsPerRay(), rays);
    pace.restedFor(CardPace::kPictureMs / 4);
    EXPECT_TRUE(pace.isFine());
}

// A card whose time is as the samples, and a little for each picture, gets to its pace and stays.
TEST(CardPace, SettlesAtItsTime) {
    for (const double samplesMs : {10.0, 40.0, 150.0, 600.0}) {
        CardPace pace;
        const auto ms = [&] {
            const double rays = 1 / (pace.pixelsPerRay() * pace.pixelsPerRay());
            return 3 + samplesMs * rays * CardPace::kFinestStep / pace.stepVoxels();
        };
        for (int i = 0; i < 12; ++i)
            pace.took(ms());
        const double step = pace.stepVoxels();
        const double rays = pace.pixelsPerRay();
        for (int i = 0; i < 12; ++i) {
            EXPECT_LE(ms(), CardPace::kPictureMs) << samplesMs;
            pace.took(ms());
        }
        EXPECT_EQ(pace.stepVoxels(), step) << samplesMs;
        EXPECT_EQ(pace.pixelsPerRay(), rays) << samplesMs;
    }
}

}  // namespace
}  // namespace gantry
