#include "ui/models/scan/live_parameter.h"

#include <gtest/gtest.h>

#include "core/io/scan_file/scan_fields.h"

namespace gantry {
namespace {

ScanFile scanOf() {
    ScanFile scan;
    scan.geometry.cone().sourceToIsocenterMm = 300;
    scan.geometry.cone().sourceToDetectorMm = 830;
    scan.geometry.cone().views = 90;
    scan.geometry.detector = {
        .columns = 100, .rows = 80, .pitchMm = {0.4, 0.5}, .offsetMm = {1.2, 7}};
    return scan;
}

TEST(LiveParameter, TheCentreIsTheColumnOfTheForm) {
    ScanFile scan = scanOf();
    const ScanField centre = liveParameters(scan).front().field;
    EXPECT_EQ(centre.label, "Centre of rotation");
    EXPECT_NEAR(centre.number(scan), 49.5 - 3, 1e-9);
    centre.assign(scan, 47.0);
    EXPECT_NEAR(scan.geometry.axisColumn(), 47, 1e-9);
    EXPECT_NEAR(scan.geometry.detector.offsetMm[0], 1, 1e-9);
    EXPECT_EQ(centre.text(47.05), "47.05 px");
}

TEST(LiveParameter, EachIsAFieldAndMovesByItsStep) {
    ScanFile scan = scanOf();
    for (const LiveParameter& one : liveParameters(scan)) {
        const ScanFile before = scan;
        one.field.assign(scan, one.field.number(scan) + one.step);
        EXPECT_NE(scan.geometry, before.geometry) << one.field.name.toStdString();
        EXPECT_NEAR(one.field.number(scan), one.field.number(before) + one.step, 1e-6);
        EXPECT_EQ(one.change(), "Change " + one.field.what);
    }
    const LiveParameter distance = liveParameters(scan)[1];
    EXPECT_DOUBLE_EQ(distance.step, 0.1) << "at most 0.02 % of it, of a round size";
    EXPECT_EQ(distance.field.text(829.9), "829.9 mm");
    EXPECT_EQ(liveParameters(scan)[2].field.text(-1.3), "-1.3 °");
}

TEST(LiveParameter, AParallelBeamHasNoDistances) {
    ScanFile scan = scanOf();
    scan.geometry = withBeam(scan.geometry, Beam::parallel);
    for (const LiveParameter& one : liveParameters(scan))
        EXPECT_NE(one.field.name, "trajectory.sourceToDetectorMm");
}

}  // namespace
}  // namespace gantry
