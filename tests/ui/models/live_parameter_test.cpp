#include "ui/models/scan/live_parameter.h"

#include <gtest/gtest.h>

namespace gantry {
namespace {

ScanGeometry geometryOf() {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 300;
    geometry.cone().sourceToDetectorMm = 830;
    geometry.detector = {.columns = 100, .rows = 80, .pitchMm = {0.4, 0.5}, .offsetMm = {1.2, 7}};
    return geometry;
}

TEST(LiveParameter, TheCentreIsInPixelsFromWhereItWas) {
    ScanGeometry geometry = geometryOf();
    const LiveParameter centre = liveParameters(geometry).front();
    EXPECT_DOUBLE_EQ(centre.get(geometry), 3);
    centre.set(geometry, 2.5);
    EXPECT_DOUBLE_EQ(geometry.detector.offsetMm[0], 1);
    EXPECT_EQ(centre.text(2.5, 3), QString("−0.50 px"));
    EXPECT_EQ(centre.text(3.25, 3), QString("+0.25 px"));
    EXPECT_EQ(centre.text(3.001, 3), QString("0.00 px"));
}

TEST(LiveParameter, OthersAreShownAsTheyAre) {
    ScanGeometry geometry = geometryOf();
    for (const LiveParameter& one : liveParameters(geometry)) {
        const ScanGeometry before = geometry;
        one.set(geometry, one.get(geometry) + one.step);
        EXPECT_NE(geometry, before) << one.name.toStdString();
        EXPECT_NEAR(one.get(geometry), one.get(before) + one.step, 1e-9);
        EXPECT_FALSE(one.change.isEmpty());
    }
    const LiveParameter distance = liveParameters(geometry)[1];
    EXPECT_DOUBLE_EQ(distance.step, 0.1) << "at most 0.02 % of it, of a round size";
    EXPECT_EQ(distance.text(829.9, 830), QString("829.90 mm"));
    EXPECT_EQ(liveParameters(geometry)[2].text(-1.3, 0), QString("−1.30°"));
}

}  // namespace
}  // namespace gantry
