#include "core/geometry/volume_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/geometry/check/validate.h"
#include "core/geometry/views/projection_matrix.h"
#include "core/geometry/views/ray_cover.h"
#include "tests/core/geometry/random_geometry.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

ScanGeometry circle(Index columns, Index rows, double pitchMm) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 600;
    geometry.cone().sourceToDetectorMm = 1200;
    geometry.cone().views = 360;
    geometry.detector = {.columns = columns, .rows = rows, .pitchMm = {pitchMm, pitchMm}};
    return geometry;
}

TEST(VolumeGrid, CountsVoxelsFromItsCentre) {
    const VolumeGrid grid = {{5, 4, 2}, {1, 0.5, 2}, {10, 20, 30}};
    EXPECT_EQ(grid.positionMm(2, 1.5, 0.5), (Vec3{10, 20, 30}));
    EXPECT_EQ(grid.originMm(), (Vec3{8, 19.25, 29}));
    EXPECT_EQ(grid.count(), 40);
}

TEST(VolumeGrid, CoarserVoxelsLieInTheMiddleOfTheirBlocks) {
    const VolumeGrid grid = {{7, 8, 1}, {1, 0.5, 0.3}, {10, 20, 30}};
    const VolumeGrid coarse = coarsened(grid, 3);
    EXPECT_EQ(coarse.voxels, (std::array<Index, 3>{3, 3, 1}));
    for (const double block : {0.0, 1.0, 2.0})
        EXPECT_LT(length(coarse.positionMm(block, block, 0) -
                         grid.positionMm(3 * block + 1, 3 * block + 1, 1)),
                  1e-12);
    const VolumeGrid twice = coarsened(coarsened(grid, 2), 2);
    const VolumeGrid once = coarsened(grid, 4);
    EXPECT_EQ(twice.voxels, once.voxels);
    EXPECT_LT(length(twice.originMm() - once.originMm()), 1e-12);
}

TEST(VolumeGrid, ASlabStaysInItsPlace) {
    const VolumeGrid grid = {{5, 4, 11}, {1, 0.5, 0.3}, {10, 20, 30}};
    const VolumeGrid slab = grid.slab({3, 9});
    EXPECT_EQ(slab.voxels, (std::array<Index, 3>{5, 4, 6}));
    for (Index k = 0; k < 6; ++k) {
        const auto z = static_cast<double>(k);
        EXPECT_LT(length(slab.positionMm(1, 2, z) - grid.positionMm(1, 2, z + 3)), 1e-12);
    }
}

// How far off the axis the circle of this radius is seen, in pixels inside the detector's edge:
// the smallest over all points and views of the distance to the nearer outer edge.
double insidePixels(const ScanGeometry& geometry, double radius, bool nearerEdgeOnly) {
    double low = std::numeric_limits<double>::max();
    double high = low;
    const ProjectionMatrix matrix = projectionMatrix(viewPose(geometry, 0), geometry.detector);
    for (int i = 0; i < 3600; ++i) {
        const double angle = radians(i / 10.0);
        const double u = matrix
                             .project(radius * std::cos(angle), radius * std::sin(angle),
                                      geometry.cone().sourceOffsetMm[1])
                             .u;
        low = std::min(low, u + 0.5);
        high = std::min(high, static_cast<double>(geometry.detector.columns) - 0.5 - u);
    }
    return nearerEdgeOnly ? std::min(low, high) : std::max(low, high);
}

TEST(FieldOfView, TouchesTheDetectorsEdge) {
    test::RandomGeometry random(21);
    for (int i = 0; i < 60; ++i) {
        ScanGeometry geometry = random.aligned();
        if (i % 3 == 0) {
            // A third of the detector's width off the middle.
            const Detector& detector = geometry.detector;
            const double width = static_cast<double>(detector.columns) * detector.pitchMm[0];
            geometry.detector.offsetMm[0] = (i % 2 == 0 ? 1 : -1) * width / 3;
        }
        const FieldOfView field = fieldOfView(geometry);
        const double axis = geometry.axisColumn();
        if (axis < -0.5 || axis > static_cast<double>(geometry.detector.columns) - 0.5) {
            EXPECT_EQ(field.radiusMm, 0);
            continue;
        }
        // Points are 0.1° apart, so the extreme one is missed by up to 4e-7 of the radius.
        const double pixels =
            insidePixels(geometry, field.radiusMm, !RayCover(geometry).reachesToFartherEdge());
        EXPECT_NEAR(pixels, 0, 1e-3) << "offset " << geometry.detector.offsetMm[0];
    }
}

// The other side of a turn sees what the nearer edge cuts off, however little that is; an open arc
// sees it from one side alone.
TEST(FieldOfView, OfATurnGoesToTheFartherEdge) {
    for (const double part : {0.01, 0.03, 0.049, 0.051}) {
        SCOPED_TRACE(part);
        ScanGeometry geometry = circle(100, 80, 0.5);
        const double offsetMm = part * 100 * 0.5;
        geometry.detector.offsetMm[0] = offsetMm;
        const auto reachMm = [&](double columns) {
            const CircularCone& cone = geometry.cone();
            return cone.sourceToIsocenterMm *
                   std::sin(std::atan(columns * 0.5 / cone.sourceToDetectorMm));
        };
        const double columns = 100 * part;
        EXPECT_NEAR(fieldOfView(geometry).radiusMm, reachMm(50 + columns), 1e-9);
        EXPECT_NEAR(fieldOfView(geometry).everyViewMm, reachMm(50 - columns), 1e-9);
        geometry.detector.offsetMm[0] = -offsetMm;
        EXPECT_NEAR(fieldOfView(geometry).radiusMm, reachMm(50 + columns), 1e-9);
        geometry.cone().arcDeg = 230;
        if (part < 0.05) {
            EXPECT_NEAR(fieldOfView(geometry).radiusMm, reachMm(50 - columns), 1e-9);
        }
    }
    // Within half a column both edges are the same.
    ScanGeometry centred = circle(100, 80, 0.5);
    const double radiusMm = fieldOfView(centred).radiusMm;
    centred.detector.offsetMm[0] = 0.2;
    EXPECT_LT(fieldOfView(centred).radiusMm, radiusMm);
}

TEST(FieldOfView, SpansTheAxisBetweenTopAndBottomEdges) {
    test::RandomGeometry random(22);
    for (int i = 0; i < 50; ++i) {
        const ScanGeometry geometry = random.aligned();
        const FieldOfView field = fieldOfView(geometry);
        const ProjectionMatrix matrix = projectionMatrix(viewPose(geometry, 1), geometry.detector);
        const auto rows = static_cast<double>(geometry.detector.rows);
        EXPECT_NEAR(matrix.project(0, 0, field.zMinMm).v, -0.5, 1e-8);
        EXPECT_NEAR(matrix.project(0, 0, field.zMaxMm).v, rows - 0.5, 1e-8);
    }
}

TEST(FieldOfView, ChangesLittleWithASmallTilt) {
    test::RandomGeometry random(23);
    ScanGeometry geometry = circle(400, 300, 0.5);
    const FieldOfView aligned = fieldOfView(geometry);
    geometry.detector.rollDeg = 0.5;
    geometry.detector.tiltDeg = -0.5;
    geometry.detector.slantDeg = 0.5;
    const FieldOfView tilted = fieldOfView(geometry);
    // Half a degree shortens an edge of 100 mm by 0.004 mm and moves it 0.9 mm in depth, which
    // moves its ray by 0.08 mm.
    EXPECT_NEAR(tilted.radiusMm, aligned.radiusMm, 0.1);
    EXPECT_NEAR(tilted.zMinMm, aligned.zMinMm, 0.1);
    EXPECT_NEAR(tilted.zMaxMm, aligned.zMaxMm, 0.1);
}

TEST(FitGrid, IsNearlyAsManyVoxelsAsPixels) {
    const VolumeGrid grid = fitGrid(circle(256, 256, 0.8));
    // The edge ray crosses the plane of the axis at 51.2 mm and passes the axis at 51.01 mm.
    EXPECT_EQ(grid.voxels, (std::array<Index, 3>{255, 255, 256}));
    EXPECT_DOUBLE_EQ(grid.pitchMm[0], 0.4);
    EXPECT_EQ(grid.centerMm, (std::array<double, 3>{0, 0, 0}));
}

TEST(FitGrid, TakesTheWishedNumberOfVoxels) {
    const ScanGeometry geometry = circle(256, 128, 0.8);
    const VolumeGrid grid = fitGrid(geometry, 100);
    EXPECT_EQ(grid.voxels[0], 100);
    EXPECT_EQ(grid.voxels[1], 100);
    EXPECT_NEAR(100 * grid.pitchMm[0], 2 * fieldOfView(geometry).radiusMm, 1e-9);
    EXPECT_EQ(grid.pitchMm[0], grid.pitchMm[2]);
    EXPECT_NEAR(static_cast<double>(grid.voxels[2]) * grid.pitchMm[2], 51.2, grid.pitchMm[2]);
}

TEST(FitGrid, IsSeenByTheDetectorWhateverTheScan) {
    test::RandomGeometry random(24);
    for (int i = 0; i < 100; ++i) {
        const ScanGeometry geometry = i % 2 == 0 ? random.aligned() : random.tilted();
        if (fieldOfView(geometry).radiusMm == 0) continue;
        const VolumeGrid grid = fitGrid(geometry, i % 3 == 0 ? random.whole(1, 300) : 0);
        for (const Problem& problem : validate(grid, geometry))
            ADD_FAILURE() << problem.field << ": " << problem.message;
        const FieldOfView field = fieldOfView(geometry);
        EXPECT_NEAR(grid.centerMm[2], (field.zMinMm + field.zMaxMm) / 2, 1e-9);
    }
}

TEST(FitGrid, WidensForAnOffsetDetector) {
    ScanGeometry geometry = circle(256, 256, 0.8);
    const double centred = fieldOfView(geometry).radiusMm;
    geometry.detector.offsetMm[0] = 60;
    EXPECT_GT(fieldOfView(geometry).radiusMm, 1.5 * centred);
    geometry.cone().arcDeg = 220;
    EXPECT_LT(fieldOfView(geometry).radiusMm, 0.5 * centred);
}

TEST(FitGrid, KeepsOffTheSourceInAVeryWideCone) {
    ScanGeometry geometry = circle(1000, 64, 4);
    geometry.cone().sourceToIsocenterMm = 300;
    geometry.cone().sourceToDetectorMm = 400;  // a fan of 157°
    const VolumeGrid grid = fitGrid(geometry);
    for (const Problem& problem : validate(grid, geometry))
        EXPECT_EQ(problem.severity, Problem::Severity::warning) << problem.message;
}

TEST(FitGrid, RefusesWhatCannotBeFitted) {
    ScanGeometry missed = circle(256, 256, 0.8);
    missed.detector.offsetMm[0] = 300;
    EXPECT_ERROR((void)fitGrid(missed), InputError, "detector.offsetMm[0]: at 300 mm");
    ScanGeometry flat = circle(16, 65536, 0.1);
    flat.detector.pitchMm[0] = 0.01;
    EXPECT_ERROR((void)fitGrid(flat), InputError, "32768 are allowed");
}

}  // namespace
}  // namespace gantry
