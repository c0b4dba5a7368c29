#include "ui/panels/volume/volume_appearance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace gantry {
namespace {

const VolumeGrid kClippedGrid{{40, 30, 21}, {0.5, 0.7, 1.1}, {4, -3, 2}};

bool isLeft(const std::vector<HalfSpace>& clips, const Vec3& place) {
    return std::all_of(clips.begin(), clips.end(), [&](const HalfSpace& half) {
        return dot(half.inward, place - half.pointMm) >= 0;
    });
}

TEST(VolumeAppearance, OfTheBoxItsInsideIsLeft) {
    VolumeAppearance appearance = unclipped({}, kClippedGrid);
    EXPECT_TRUE(clipsOf(appearance, kClippedGrid).empty());
    EXPECT_DOUBLE_EQ(appearance.boxLowMm[0], 4 - 10);
    EXPECT_DOUBLE_EQ(appearance.boxHighMm[1], -3 + 10.5);
    appearance.isBoxClipped = true;
    appearance.boxHighMm[2] = 3;
    EXPECT_TRUE(isLeft(clipsOf(appearance, kClippedGrid), {4, -3, 2.9}));
    EXPECT_FALSE(isLeft(clipsOf(appearance, kClippedGrid), {4, -3, 3.1}));
    EXPECT_FALSE(isLeft(clipsOf(appearance, kClippedGrid), {-7, -3, 2}));
}

// At azimuth 90° the source is at +x.
TEST(VolumeAppearance, ThePlaneRemovesWhatLiesInItsDirection) {
    VolumeAppearance appearance = unclipped({}, kClippedGrid);
    appearance.isPlaneClipped = true;
    appearance.planeAzimuthDeg = 90;
    appearance.planeOffsetMm = 1;
    EXPECT_FALSE(isLeft(clipsOf(appearance, kClippedGrid), {5.1, -3, 2}));
    EXPECT_TRUE(isLeft(clipsOf(appearance, kClippedGrid), {4.9, 7, -5}));
    appearance.planeElevationDeg = 90;
    EXPECT_FALSE(isLeft(clipsOf(appearance, kClippedGrid), {4, -3, 3.1}));
    EXPECT_TRUE(isLeft(clipsOf(appearance, kClippedGrid), {9, -3, 2.9}));
}

TEST(AppearanceHistory, ADragIsOneStepAndComesBack) {
    AppearanceHistory history;
    int changes = 0;
    QObject::connect(&history, &AppearanceHistory::changed, &history, [&] { ++changes; });
    history.restart(unclipped({}, kClippedGrid));
    EXPECT_TRUE(history.isEmpty());
    VolumeAppearance appearance = history.appearance();
    for (const double offset : {1.0, 2.0, 3.0}) {
        appearance.planeOffsetMm = offset;
        history.edit(appearance, false);
    }
    history.edit(appearance, true);
    EXPECT_FALSE(history.isEmpty());
    appearance.hasCrossHair = true;
    history.edit(appearance, true);
    EXPECT_EQ(changes, 5);
    history.undo();
    EXPECT_FALSE(history.appearance().hasCrossHair);
    EXPECT_EQ(history.appearance().planeOffsetMm, 3);
    history.undo();
    EXPECT_EQ(history.appearance().planeOffsetMm, 0);
    history.undo();  // nothing left
    EXPECT_EQ(history.appearance().planeOffsetMm, 0);
    history.redo();
    EXPECT_EQ(history.appearance().planeOffsetMm, 3);
    appearance = history.appearance();
    appearance.planeAzimuthDeg = 10;
    history.edit(appearance, true);
    history.redo();  // what was undone is gone
    EXPECT_EQ(history.appearance().planeAzimuthDeg, 10);
}

}  // namespace
}  // namespace gantry
