#include "core/geometry/views/aligned_views.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/geometry/random_geometry.h"

namespace gantry {
namespace {

ScanGeometry upright(ScanGeometry geometry) {
    geometry.detector.rollDeg = 0;
    geometry.detector.tiltDeg = 0;
    geometry.detector.slantDeg = 0;
    return geometry;
}

TEST(AlignedViews, AreThoseOfTheDetectorWithoutItsRotation) {
    test::RandomGeometry random(51);
    for (int i = 0; i < 40; ++i) {
        const ScanGeometry declared = i % 2 == 0 ? random.listed() : random.tilted();
        const AlignedViews views = alignedViews(declared);
        EXPECT_EQ(views, alignedViews(upright(declared)));
        ASSERT_EQ(views.views, declared.views());
        EXPECT_EQ(views.matrices, projectionMatrices(upright(declared)));
        EXPECT_EQ(views.weightsRad, angularWeightsRad(declared));
        for (Index s = 0; s < views.views; ++s)
            EXPECT_EQ(views.anglesDeg[static_cast<std::size_t>(s)], declared.angleDeg(s));
        EXPECT_EQ(views.detector, alignedDetector(declared));
        EXPECT_EQ(views.detector.columns, declared.detector.columns);
        EXPECT_EQ(views.detector.rows, declared.detector.rows);
        EXPECT_EQ(views.detector.pitchMm, declared.detector.pitchMm);
    }
}

// Rows rise with z alone, and neither depth nor column depends on it.
TEST(AlignedViews, LookAlongTheOrbitsPlane) {
    test::RandomGeometry random(52);
    for (int i = 0; i < 10; ++i)
        for (const ProjectionMatrix& matrix : alignedViews(random.tilted()).matrices) {
            EXPECT_EQ(matrix.m[0][2], 0);
            EXPECT_EQ(matrix.m[2][2], 0);
            EXPECT_GT(matrix.m[1][2], 0);
        }
}

TEST(AlignedViews, TheDetectorStandsWhereTheMatricesHaveIt) {
    test::RandomGeometry random(53);
    for (int i = 0; i < 50; ++i) {
        const ScanGeometry declared = random.tilted();
        const AlignedViews views = alignedViews(declared);
        const AlignedDetector& detector = views.detector;
        const double sx = declared.cone().sourceOffsetMm[0];
        const double magnification =
            declared.cone().sourceToDetectorMm / declared.cone().sourceToIsocenterMm;
        EXPECT_EQ(views.midplaneMm, declared.cone().sourceOffsetMm[1]);
        EXPECT_EQ(detector.distanceMm, declared.cone().sourceToDetectorMm);
        EXPECT_EQ(detector.axisDistanceMm, declared.cone().sourceToIsocenterMm);
        EXPECT_NEAR(detector.axisMm, -sx * magnification, 1e-12);
        EXPECT_NEAR(detector.pitchAtAxisMm, declared.detector.pitchMm[0] / magnification, 1e-15);
        EXPECT_NEAR(detector.axisColumn(), declared.axisColumn(), 1e-9);
        EXPECT_NEAR(detector.midplaneRow(), declared.midplaneRow(), 1e-9);
        for (const ProjectionMatrix& matrix : views.matrices) {
            const auto axis = matrix.project(0, 0, views.midplaneMm);
            // Rounding of pixel coordinates of 10³.
            EXPECT_NEAR(axis.u, detector.axisColumn(), 1e-9);
            EXPECT_NEAR(axis.v, detector.midplaneRow(), 1e-9);
            EXPECT_NEAR(axis.z, detector.axisDistanceMm, 1e-9);
            EXPECT_NEAR(detector.columnMm(axis.u), detector.axisMm, 1e-9);
            // One mm up at the axis is so many rows.
            EXPECT_NEAR(matrix.project(0, 0, views.midplaneMm + 1).v - axis.v,
                        magnification / detector.pitchMm[1], 1e-9);
        }
        // From the source's foot, whose ray is normal to the detector.
        const double lastColumn = static_cast<double>(detector.columns) - 1;
        EXPECT_NEAR(detector.columnMm(lastColumn),
                    lastColumn / 2 * detector.pitchMm[0] + declared.detector.offsetMm[0] - sx,
                    1e-9);
        EXPECT_NEAR(detector.rowMm(detector.midplaneRow()), 0, 1e-9);
    }
}

TEST(AlignedViews, AddedColumnsLeaveTheOthersInPlace) {
    test::RandomGeometry random(54);
    for (const AlignOptions& padding : {AlignOptions{7, 0, {}}, {0, 12, {}}, {3, 4, {}}}) {
        const ScanGeometry declared = random.tilted();
        const AlignedViews plain = alignedViews(declared);
        const AlignedViews padded = alignedViews(declared, padding);
        const auto before = static_cast<double>(padding.padBefore);
        EXPECT_EQ(padded.detector.columns,
                  plain.detector.columns + padding.padBefore + padding.padAfter);
        EXPECT_NEAR(padded.detector.columnMm(5 + before), plain.detector.columnMm(5), 1e-9);
        EXPECT_NEAR(padded.detector.axisColumn(), plain.detector.axisColumn() + before, 1e-9);
        EXPECT_EQ(padded.detector.midplaneRow(), plain.detector.midplaneRow());
        EXPECT_EQ(padded.weightsRad, plain.weightsRad);
        for (std::size_t s = 0; s < plain.matrices.size(); ++s) {
            const auto at = plain.matrices[s].project(11, -7, 5);
            const auto same = padded.matrices[s].project(11, -7, 5);
            EXPECT_NEAR(same.u, at.u + before, 1e-9);
            EXPECT_NEAR(same.v, at.v, 1e-9);
        }
    }
}

TEST(AlignedViews, LeftOutViewsAreGoneAndTheOthersAsTheyWere) {
    test::RandomGeometry random(55);
    ScanGeometry declared = random.listed();
    const AlignedViews whole = alignedViews(declared);
    const AlignedViews kept = alignedViews(declared, {.leftOut = {0, 2}});
    const std::vector<double> weights = angularWeightsRad(declared, {0, 2});
    ASSERT_EQ(kept.views, whole.views - 2);
    EXPECT_EQ(kept.detector, whole.detector);
    for (std::size_t s = 0; s < kept.matrices.size(); ++s) {
        const std::size_t number = s == 0 ? 1 : s + 2;
        EXPECT_EQ(kept.matrices[s], whole.matrices[number]);
        EXPECT_EQ(kept.anglesDeg[s], whole.anglesDeg[number]);
        EXPECT_EQ(kept.weightsRad[s], weights[number]);
    }
}

}  // namespace
}  // namespace gantry
