#include "core/engine/kernel.h"

#include <gtest/gtest.h>

#include "core/geometry/aligned_views.h"
#include "core/geometry/scan_geometry.h"

namespace gantry {
namespace {

const Kernel kUsual = {"usual"};
const Kernel kAnyPose = {"any-pose", false, 1, false, true};
const Kernel kParallel = {"parallel", false, 1, false, false, true};

TEST(TakesViews, AConeIsNoParallelBeam) {
    ScanGeometry scan;
    scan.cone().sourceToIsocenterMm = 600;
    scan.cone().sourceToDetectorMm = 1200;
    scan.cone().views = 8;
    scan.detector.columns = scan.detector.rows = 16;
    scan.detector.pitchMm = {1, 1};
    const AlignedViews views = alignedViews(scan);
    EXPECT_TRUE(takesViews(kUsual, views));
    EXPECT_TRUE(takesViews(kAnyPose, views));
    EXPECT_FALSE(takesViews(kParallel, views));
}

TEST(TakesViews, AParallelBeamSuitsAll) {
    ScanGeometry scan;
    auto& beam = scan.trajectory.emplace<ParallelBeam>();
    beam.arcDeg = 180;
    beam.views = 8;
    scan.detector.columns = scan.detector.rows = 16;
    scan.detector.pitchMm = {1, 1};
    const AlignedViews views = alignedViews(scan);
    EXPECT_TRUE(takesViews(kUsual, views));
    EXPECT_TRUE(takesViews(kAnyPose, views));
    EXPECT_TRUE(takesViews(kParallel, views));
}

TEST(TakesViews, ViewsOnDetectorsOfTheirOwnTakeKernelsForAnyPose) {
    AlignedViews views;
    views.rays.resize(8);
    EXPECT_FALSE(takesViews(kUsual, views));
    EXPECT_TRUE(takesViews(kAnyPose, views));
    EXPECT_FALSE(takesViews(kParallel, views));
}

}  // namespace
}  // namespace gantry
