#include "core/engine/kernel.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/geometry/scan_geometry.h"
#include "core/geometry/views/aligned_views.h"

namespace gantry {
namespace {

const Kernel kUsual = {"usual"};
const Kernel kAnyPose = {"any-pose", false, 1, false, true};
const Kernel kParallel = {"parallel", false, 1, false, false, true};

// Which kernels take them: the usual one, one for any pose, one for parallel beams.
std::vector<bool> takenBy(const AlignedViews& views) {
    return {takesViews(kUsual, views), takesViews(kAnyPose, views), takesViews(kParallel, views)};
}

AlignedViews viewsOf(ScanGeometry scan) {
    scan.detector.columns = scan.detector.rows = 16;
    scan.detector.pitchMm = {1, 1};
    return alignedViews(scan);
}

TEST(TakesViews, AConeIsNoParallelBeam) {
    ScanGeometry scan;
    scan.cone().sourceToIsocenterMm = 600;
    scan.cone().sourceToDetectorMm = 1200;
    scan.cone().views = 8;
    EXPECT_EQ(takenBy(viewsOf(scan)), (std::vector<bool>{true, true, false}));
}

TEST(TakesViews, AParallelBeamSuitsAll) {
    ScanGeometry scan;
    auto& beam = scan.trajectory.emplace<ParallelBeam>();
    beam.arcDeg = 180;
    beam.views = 8;
    EXPECT_EQ(takenBy(viewsOf(scan)), (std::vector<bool>{true, true, true}));
}

TEST(TakesViews, ViewsOnDetectorsOfTheirOwnTakeKernelsForAnyPose) {
    AlignedViews views;
    views.rays.resize(8);
    EXPECT_EQ(takenBy(views), (std::vector<bool>{false, true, false}));
}

}  // namespace
}  // namespace gantry
