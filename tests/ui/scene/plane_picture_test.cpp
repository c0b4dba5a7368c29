#include "ui/scene/volume/plane_picture.h"

#include <gtest/gtest.h>

namespace gantry {
namespace {

// Red and green above, blue and white below, in the plane y = 2; 4 mm wide and 2 mm high.
PlanePicture fourColours(double y = 2) {
    QImage image(2, 2, QImage::Format_RGB32);
    image.setPixel(0, 0, qRgb(255, 0, 0));
    image.setPixel(1, 0, qRgb(0, 255, 0));
    image.setPixel(0, 1, qRgb(0, 0, 255));
    image.setPixel(1, 1, qRgb(255, 255, 255));
    return {{-1, y, 5}, {4, 0, 0}, {0, 0, 2}, image};
}

TEST(PlanePicture, IsHitWhereItsPixelsAre) {
    const PlanePicture planes[] = {fourColours()};
    const auto colourAt = [&](double x, double z) {
        const auto hit = firstHit(planes, {{x, -8, z}, {0, 1, 0}});
        if (!hit) return qRgb(0, 0, 0);
        EXPECT_DOUBLE_EQ(hit->distanceMm, 10);
        return hit->colour;
    };
    EXPECT_EQ(colourAt(-0.9, 6.9), qRgb(255, 0, 0));
    EXPECT_EQ(colourAt(2.9, 6.9), qRgb(0, 255, 0));
    EXPECT_EQ(colourAt(-0.9, 5.1), qRgb(0, 0, 255));
    EXPECT_EQ(colourAt(2.9, 5.1), qRgb(255, 255, 255));
    EXPECT_EQ(colourAt(3.1, 6), qRgb(0, 0, 0));  // beside it
    EXPECT_EQ(colourAt(0, 4.9), qRgb(0, 0, 0));
}

TEST(PlanePicture, TheNearerOneHides) {
    const PlanePicture planes[] = {fourColours(7), fourColours(2), fourColours(-20)};
    const auto hit = firstHit(planes, {{0, -8, 6}, {0, 1, 0}});
    ASSERT_TRUE(hit);
    EXPECT_DOUBLE_EQ(hit->distanceMm, 10);                    // not what lies behind the eye
    EXPECT_FALSE(firstHit(planes, {{0, 2, -8}, {0, 0, 1}}));  // along the plane
    EXPECT_FALSE(firstHit({}, {{0, 2, -8}, {0, 1, 0}}));
}

}  // namespace
}  // namespace gantry
