#include "core/simulate/jitter.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/geometry/check/validate.h"
#include "tests/core/geometry/expect_same_poses.h"

namespace gantry {
namespace {

ScanGeometry circle() {
    ScanGeometry scan;
    scan.cone().sourceToIsocenterMm = 600;
    scan.cone().sourceToDetectorMm = 1000;
    scan.cone().views = 200;
    scan.detector = {.columns = 50, .rows = 40, .pitchMm = {4, 4}};
    return scan;
}

TEST(Jitter, MovesAndTurnsEveryViewWithinItsBounds) {
    const ScanGeometry scan = circle();
    const ScanGeometry moved = jittered(scan, 1, 0.5, 7);
    ASSERT_NE(moved.poses(), nullptr);
    EXPECT_TRUE(validate(moved).empty());
    double max = 0;
    for (Index s = 0; s < scan.views(); ++s) {
        const ViewPose was = viewPose(scan, s);
        const ViewPose is = viewPose(moved, s);
        EXPECT_LE(length(is.sourceMm - was.sourceMm), std::sqrt(3.0));
        EXPECT_LE(length(is.detectorCenterMm - was.detectorCenterMm), std::sqrt(3.0));
        const double cosine = dot(is.uStepMm, was.uStepMm) / 16;
        EXPECT_LE(degrees(std::acos(std::min(1.0, cosine))), std::sqrt(3.0) * 0.5);
        max = std::max(max, length(is.sourceMm - was.sourceMm));
    }
    EXPECT_GT(max, 1.2);
}

TEST(Jitter, IsTheSameForASeedAndNoneOfZero) {
    EXPECT_EQ(jittered(circle(), 1, 0.5, 7), jittered(circle(), 1, 0.5, 7));
    EXPECT_NE(jittered(circle(), 1, 0.5, 7), jittered(circle(), 1, 0.5, 8));
    test::expectSamePoses(jittered(circle(), 0, 0, 1), circle());
}

}  // namespace
}  // namespace gantry
