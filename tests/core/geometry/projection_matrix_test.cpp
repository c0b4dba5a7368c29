#include "core/geometry/views/projection_matrix.h"

#include <gtest/gtest.h>

#include "tests/core/geometry/random_geometry.h"

namespace gantry {
namespace {

VolumeGrid randomGrid(test::RandomGeometry& random) {
    VolumeGrid grid;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        grid.voxels[axis] = random.whole(3, 50);
        grid.pitchMm[axis] = random.between(0.2, 1.5);
        grid.centerMm[axis] = random.between(-20, 20);
    }
    return grid;
}

// Solves source + t·(point − source) = centre + a·uStep + b·vStep by Cramer's rule.
struct Hit {
    double t;
    double a;
    double b;
};

Hit rayMeetsDetector(const ViewPose& pose, Vec3 point) {
    const Vec3 ray = point - pose.sourceMm;
    const Vec3 right = pose.detectorCenterMm - pose.sourceMm;
    const Vec3 u = -1 * pose.uStepMm;
    const Vec3 v = -1 * pose.vStepMm;
    const double determinant = dot(ray, cross(u, v));
    return {dot(right, cross(u, v)) / determinant, dot(ray, cross(right, v)) / determinant,
            dot(ray, cross(u, right)) / determinant};
}

TEST(ProjectionMatrix, HitsThePixelThatTheRayHits) {
    test::RandomGeometry random(11);
    for (int i = 0; i < 200; ++i) {
        const ScanGeometry geometry = i % 2 == 0 ? random.tilted() : random.listed();
        const Detector& detector = geometry.detector;
        const Index view = random.whole(0, geometry.views() - 1);
        const ViewPose pose = viewPose(geometry, view);
        const ProjectionMatrix matrix =
            projectionMatrices(geometry)[static_cast<std::size_t>(view)];
        const Vec3 point = {random.between(-60, 60), random.between(-60, 60),
                            random.between(-60, 60)};
        const Hit hit = rayMeetsDetector(pose, point);
        const ProjectionMatrix::Point found = matrix.project(point.x, point.y, point.z);
        // Coordinates reach 10⁴ pixels; doubles keep 12 of their digits through the quotient.
        EXPECT_NEAR(found.u, hit.a + (static_cast<double>(detector.columns) - 1) / 2, 1e-8);
        EXPECT_NEAR(found.v, hit.b + (static_cast<double>(detector.rows) - 1) / 2, 1e-8);
        // The detector's own depth divided by the ray's magnification.
        const Vec3 normal = cross(pose.uStepMm, pose.vStepMm);
        const double depth =
            std::abs(dot(pose.detectorCenterMm - pose.sourceMm, normal)) / length(normal);
        EXPECT_NEAR(found.z, depth / hit.t, 1e-9);
    }
}

TEST(ProjectionMatrix, DepthOfAnAlignedDetectorIsAlongTheGantry) {
    test::RandomGeometry random(12);
    for (int i = 0; i < 50; ++i) {
        const ScanGeometry geometry = random.aligned();
        const ViewPose pose = viewPose(geometry, 2);
        const double angle = radians(geometry.angleDeg(2));
        const Vec3 point = {random.between(-60, 60), random.between(-60, 60), 5};
        const double depth = geometry.cone().sourceToIsocenterMm - point.x * std::sin(angle) +
                             point.y * std::cos(angle);
        const ProjectionMatrix matrix = projectionMatrix(pose, geometry.detector);
        EXPECT_NEAR(matrix.project(point.x, point.y, point.z).z, depth, 1e-9);
    }
}

TEST(ProjectionMatrix, OnVoxelIndicesSeesTheSamePoint) {
    test::RandomGeometry random(13);
    for (int i = 0; i < 100; ++i) {
        const ScanGeometry geometry = random.tilted();
        const VolumeGrid grid = randomGrid(random);
        const ProjectionMatrix world = projectionMatrix(viewPose(geometry, 0), geometry.detector);
        const ProjectionMatrix voxels = onVoxelIndices(world, grid);
        const double x = random.between(0, 50);
        const double y = random.between(0, 50);
        const double z = random.between(0, 50);
        const Vec3 mm = grid.positionMm(x, y, z);
        const auto a = world.project(mm.x, mm.y, mm.z);
        const auto b = voxels.project(x, y, z);
        EXPECT_NEAR(a.u, b.u, 1e-8);
        EXPECT_NEAR(a.v, b.v, 1e-8);
        EXPECT_NEAR(a.z, b.z, 1e-9);
    }
}

// Theorems 1 and 2 of iFDK: along a voxel column u and z stay and v grows evenly.
TEST(ProjectionMatrix, KeepsColumnAndDepthAlongAVoxelColumn) {
    test::RandomGeometry random(14);
    for (int i = 0; i < 50; ++i) {
        const ScanGeometry geometry = random.aligned();
        const VolumeGrid grid = randomGrid(random);
        const Index view = random.whole(0, geometry.views() - 1);
        const ProjectionMatrix matrix =
            onVoxelIndices(projectionMatrix(viewPose(geometry, view), geometry.detector), grid);
        const double x = random.between(0, 20);
        const double y = random.between(0, 20);
        const auto low = matrix.project(x, y, 0);
        const auto next = matrix.project(x, y, 1);
        const auto high = matrix.project(x, y, 37);
        EXPECT_NEAR(high.u, low.u, 1e-9);
        EXPECT_NEAR(high.z, low.z, 1e-9);
        EXPECT_NEAR(high.v - low.v, 37 * (next.v - low.v), 1e-8);
    }
}

// Theorem 3: in a centred volume, voxel k and its mirror hit mirrored rows.
TEST(ProjectionMatrix, MirrorsTheRowsOfACentredVolume) {
    test::RandomGeometry random(15);
    for (int i = 0; i < 50; ++i) {
        ScanGeometry geometry = random.aligned();
        geometry.cone().sourceOffsetMm[1] = 0;
        geometry.detector.offsetMm[1] = 0;
        VolumeGrid grid = randomGrid(random);
        grid.centerMm[2] = 0;
        const ProjectionMatrix matrix =
            onVoxelIndices(projectionMatrix(viewPose(geometry, 1), geometry.detector), grid);
        const double x = random.between(0, 20);
        const double y = random.between(0, 20);
        const auto k = static_cast<double>(random.whole(0, grid.voxels[2] - 1));
        const double mirror = static_cast<double>(grid.voxels[2]) - 1 - k;
        const double lastRow = static_cast<double>(geometry.detector.rows) - 1;
        EXPECT_NEAR(matrix.project(x, y, k).v + matrix.project(x, y, mirror).v, lastRow, 1e-9);
    }
}

}  // namespace
}  // namespace gantry
