#include "ui/panels/volume/volume_look.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace gantry {
namespace {

const VolumeGrid kLookGrid{{40, 30, 21}, {0.5, 0.7, 1.1}, {4, -3, 2}};

bool isLeft(const std::vector<HalfSpace>& clips, const Vec3& place) {
    return std::all_of(clips.begin(), clips.end(), [&](const HalfSpace& half) {
        return dot(half.inward, place - half.pointMm) >= 0;
    });
}

TEST(VolumeLook, OfTheBoxItsInsideIsLeft) {
    VolumeLook look = unclipped({}, kLookGrid);
    EXPECT_TRUE(clipsOf(look, kLookGrid).empty());
    EXPECT_DOUBLE_EQ(look.boxLowMm[0], 4 - 10);
    EXPECT_DOUBLE_EQ(look.boxHighMm[1], -3 + 10.5);
    look.isBoxClipped = true;
    look.boxHighMm[2] = 3;
    EXPECT_TRUE(isLeft(clipsOf(look, kLookGrid), {4, -3, 2.9}));
    EXPECT_FALSE(isLeft(clipsOf(look, kLookGrid), {4, -3, 3.1}));
    EXPECT_FALSE(isLeft(clipsOf(look, kLookGrid), {-7, -3, 2}));
}

// At azimuth 90° the source is at +x.
TEST(VolumeLook, ThePlaneRemovesWhatLiesInItsDirection) {
    VolumeLook look = unclipped({}, kLookGrid);
    look.isPlaneClipped = true;
    look.planeAzimuthDeg = 90;
    look.planeOffsetMm = 1;
    EXPECT_FALSE(isLeft(clipsOf(look, kLookGrid), {5.1, -3, 2}));
    EXPECT_TRUE(isLeft(clipsOf(look, kLookGrid), {4.9, 7, -5}));
    look.planeElevationDeg = 90;
    EXPECT_FALSE(isLeft(clipsOf(look, kLookGrid), {4, -3, 3.1}));
    EXPECT_TRUE(isLeft(clipsOf(look, kLookGrid), {9, -3, 2.9}));
}

TEST(LookHistory, ADragIsOneStepAndComesBack) {
    LookHistory history;
    int changes = 0;
    QObject::connect(&history, &LookHistory::changed, &history, [&] { ++changes; });
    history.restart(unclipped({}, kLookGrid));
    EXPECT_TRUE(history.isEmpty());
    VolumeLook look = history.look();
    for (const double offset : {1.0, 2.0, 3.0}) {
        look.planeOffsetMm = offset;
        history.edit(look, false);
    }
    history.edit(look, true);
    EXPECT_FALSE(history.isEmpty());
    look.hasCrossHair = true;
    history.edit(look, true);
    EXPECT_EQ(changes, 5);
    history.undo();
    EXPECT_FALSE(history.look().hasCrossHair);
    EXPECT_EQ(history.look().planeOffsetMm, 3);
    history.undo();
    EXPECT_EQ(history.look().planeOffsetMm, 0);
    history.undo();  // nothing left
    EXPECT_EQ(history.look().planeOffsetMm, 0);
    history.redo();
    EXPECT_EQ(history.look().planeOffsetMm, 3);
    look = history.look();
    look.planeAzimuthDeg = 10;
    history.edit(look, true);
    history.redo();  // what was undone is gone
    EXPECT_EQ(history.look().planeAzimuthDeg, 10);
}

}  // namespace
}  // namespace gantry
