#include "core/geometry/pixel_block.h"

#include <gtest/gtest.h>

namespace gantry {
namespace {

ScanGeometry tiltedCone() {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 600;
    geometry.cone().sourceToDetectorMm = 1100;
    geometry.cone().sourceOffsetMm = {1, -2};
    geometry.cone().startDeg = 20;
    geometry.cone().views = 7;
    geometry.detector = {.columns = 15,
                         .rows = 11,
                         .pitchMm = {6, 5},
                         .offsetMm = {30, -4},
                         .rollDeg = 3,
                         .tiltDeg = -5,
                         .slantDeg = 8};
    return geometry;
}

ScanGeometry laminography() {
    ScanGeometry geometry = tiltedCone();
    geometry.detector.slantDeg = 0;
    geometry.trajectory = ParallelBeam{{.startDeg = 3, .arcDeg = 360, .views = 7, .anglesDeg = {}}};
    return geometry;
}

ScanGeometry posesMovedTogether() {
    ScanGeometry circle = tiltedCone();
    circle.cone().views = 7;
    std::vector<ViewPose> poses;
    for (Index s = 0; s < 7; ++s)
        poses.push_back(viewPose(circle, s));
    poses[3].detectorCenterMm = poses[3].detectorCenterMm + Vec3{1, 2, 3};
    ScanGeometry geometry = geometryOfPoses(std::move(poses), 15, 11);
    geometry.detector.offsetMm = {2, 7};
    geometry.detector.rollDeg = 4;
    geometry.detector.tiltDeg = 2;
    return geometry;
}

Vec3 placeOf(const ScanGeometry& geometry, Index view, double u, double v) {
    const ViewPose pose = viewPose(geometry, view);
    const Detector& detector = geometry.detector;
    return pose.detectorCenterMm +
           (u - static_cast<double>(detector.columns - 1) / 2) * pose.uStepMm +
           (v - static_cast<double>(detector.rows - 1) / 2) * pose.vStepMm;
}

class PixelsOfGeometry : public testing::TestWithParam<ScanGeometry (*)()> {};

// The middle of each pixel is that of the pixels that it is made from, in every view.
TEST_P(PixelsOfGeometry, LieWhereThoseThatTheyAreMadeFromDo) {
    const ScanGeometry declared = GetParam()();
    const PixelBlock block = {{2, 1}, {4, 3}, {3, 2}};
    const ScanGeometry larger = onPixels(declared, block);
    ASSERT_EQ(larger.detector.columns, 4);
    ASSERT_EQ(larger.detector.rows, 3);
    EXPECT_EQ(larger.detector.pitchMm[0], 3 * declared.detector.pitchMm[0]);
    for (Index s = 0; s < declared.views(); ++s) {
        // A position along parallel rays has no effect.
        const Vec3 rays = declared.isParallel() ? viewPose(declared, s).sourceMm : Vec3{};
        for (Index v = 0; v < 3; ++v)
            for (Index u = 0; u < 4; ++u) {
                const Vec3 from = placeOf(declared, s, 2 + 3 * static_cast<double>(u) + 1,
                                          1 + 2 * static_cast<double>(v) + 0.5);
                const Vec3 away =
                    placeOf(larger, s, static_cast<double>(u), static_cast<double>(v)) - from;
                EXPECT_LT(length(away - dot(away, rays) * rays), 1e-9) << s;
            }
        EXPECT_LT(length(viewPose(larger, s).sourceMm - viewPose(declared, s).sourceMm), 1e-9);
    }
}

INSTANTIATE_TEST_SUITE_P(Geometries, PixelsOfGeometry,
                         testing::Values(tiltedCone, laminography, posesMovedTogether));

}  // namespace
}  // namespace gantry
