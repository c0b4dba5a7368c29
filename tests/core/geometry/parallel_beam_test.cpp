#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/geometry/check/validate.h"
#include "core/geometry/footprint.h"
#include "core/geometry/views/mirror.h"

namespace gantry {
namespace {

ScanGeometry parallelScan(double arcDeg, Index views) {
    ScanGeometry geometry;
    auto& beam = geometry.trajectory.emplace<ParallelBeam>();
    beam.startDeg = 17;
    beam.arcDeg = arcDeg;
    beam.views = views;
    geometry.detector = {.columns = 61, .rows = 48, .pitchMm = {0.7, 0.9}, .offsetMm = {1.3, -2.1}};
    return geometry;
}

ScanGeometry listedScan(std::vector<double> anglesDeg) {
    ScanGeometry geometry = parallelScan(180, static_cast<Index>(anglesDeg.size()));
    geometry.angles().anglesDeg = std::move(anglesDeg);
    return geometry;
}

double totalDeg(const std::vector<double>& weightsRad) {
    return degrees(std::accumulate(weightsRad.begin(), weightsRad.end(), 0.0));
}

// Where a point is seen, written with the sentences that declare ParallelBeam.
void expectHandEquations(const ScanGeometry& geometry, Vec3 p) {
    const Detector& d = geometry.detector;
    const double tilt = radians(d.tiltDeg);
    const double roll = radians(d.rollDeg);
    for (Index s = 0; s < geometry.views(); ++s) {
        const double angle =
            radians(geometry.angles().startDeg + static_cast<double>(s) * geometry.angles().arcDeg /
                                                     static_cast<double>(geometry.views()));
        const double across = p.x * std::cos(angle) + p.y * std::sin(angle) - d.offsetMm[0];
        const double behind = -p.x * std::sin(angle) + p.y * std::cos(angle);
        const double up = p.z * std::cos(tilt) + behind * std::sin(tilt) - d.offsetMm[1];
        const double u = (across * std::cos(roll) + up * std::sin(roll)) / d.pitchMm[0] + 30;
        const double v = (up * std::cos(roll) - across * std::sin(roll)) / d.pitchMm[1] + 23.5;
        const ProjectionMatrix::Point at =
            projectionMatrix(viewPose(geometry, s), d).project(p.x, p.y, p.z);
        // Rounding of a few dozen operations on numbers up to 100.
        EXPECT_NEAR(at.u, u, 1e-11);
        EXPECT_NEAR(at.v, v, 1e-11);
        EXPECT_EQ(at.z, 1);
    }
}

TEST(ParallelBeam, SeesPointsWhereTheHandEquationsDo) {
    for (const double arcDeg : {180.0, -360.0})
        for (const double tiltDeg : {0.0, 30.0})
            for (const double rollDeg : {0.0, -2.0}) {
                ScanGeometry geometry = parallelScan(arcDeg, 7);
                geometry.detector.tiltDeg = tiltDeg;
                geometry.detector.rollDeg = rollDeg;
                expectHandEquations(geometry, {3.1, -7.2, 11.9});
            }
}

// u does not change along z, nor v across it: exactly, which the fast kernels build on.
TEST(ParallelBeam, UprightViewsAreAligned) {
    ScanGeometry geometry = parallelScan(180, 5);
    geometry.detector.rollDeg = 2;
    const AlignedViews views = alignedViews(geometry);
    ASSERT_TRUE(views.areAligned());
    for (const ProjectionMatrix& matrix : views.matrices) {
        EXPECT_EQ(matrix.m[0][2], 0);
        EXPECT_EQ(matrix.m[1][0], 0);
        EXPECT_EQ(matrix.m[1][1], 0);
        EXPECT_EQ(matrix.m[2], (std::array<double, 4>{0, 0, 0, 1}));
    }
    EXPECT_TRUE(views.detector.isParallel());
    EXPECT_FALSE(alignedViews(geometry, {.rows = FilterRows::own}).areAligned());
    geometry.detector.tiltDeg = 20;
    EXPECT_FALSE(alignedViews(geometry).areAligned());
    EXPECT_EQ(uprightDetector(geometry).tiltDeg, 20);
    EXPECT_EQ(uprightDetector(geometry).rollDeg, 0);
}

TEST(ParallelBeam, HalfATurnClosesWithTheFirstViewMirrored) {
    const double step = radians(30);
    const ScanGeometry open = listedScan({0, 30, 60, 90, 120, 150});
    EXPECT_EQ(open.coverageDeg(), 180);
    for (const double weight : angularWeightsRad(open))
        EXPECT_NEAR(weight, step, 1e-14);

    // Its last view is its first one: they share a step.
    const ScanGeometry inclusive = listedScan({0, 30, 60, 90, 120, 150, 180});
    EXPECT_EQ(inclusive.coverageDeg(), 180);
    EXPECT_TRUE(inclusive.isHalfCircle());
    const std::vector<double> shares = angularWeightsRad(inclusive);
    EXPECT_NEAR(shares.front(), step / 2, 1e-14);
    EXPECT_NEAR(shares.back(), step / 2, 1e-14);
    EXPECT_NEAR(totalDeg(shares), 180, 1e-12);

    // Unequal steps, clockwise: the gap over the end goes to both of its views.
    const std::vector<double> uneven = angularWeightsRad(listedScan({170, 140, 90, 50, 0}));
    EXPECT_NEAR(degrees(uneven.front()), (30 + 10) / 2.0, 1e-12);
    EXPECT_NEAR(degrees(uneven.back()), (50 + 10) / 2.0, 1e-12);

    EXPECT_EQ(listedScan({0, 90, 180, 270}).coverageDeg(), 360);
    EXPECT_EQ(listedScan({0, 10, 20, 30, 40}).coverageDeg(), 50);
}

TEST(ParallelBeam, ViewsLeftOutAtTheEndGoToBothSidesOfTheHalfTurn) {
    const ScanGeometry geometry = parallelScan(-180, 6);
    const std::vector<double> weights = angularWeightsRad(geometry, {0});
    EXPECT_EQ(weights[0], 0);
    EXPECT_NEAR(degrees(weights[1]), 45, 1e-12);
    EXPECT_NEAR(degrees(weights[5]), 45, 1e-12);
    EXPECT_NEAR(totalDeg(weights), 180, 1e-12);
}

TEST(ParallelBeam, SeesTheLargerSideOfAnOffsetDetectorInAFullTurn) {
    ScanGeometry geometry = parallelScan(360, 90);
    geometry.detector.offsetMm = {14.7, 0.9};
    // Edges at −30.5·0.7 + 14.7 and 30.5·0.7 + 14.7 mm; rows at ∓24·0.9 + 0.9 mm.
    const FieldOfView turn = fieldOfView(geometry);
    EXPECT_NEAR(turn.radiusMm, 36.05, 1e-12);
    EXPECT_NEAR(turn.zMinMm, -20.7, 1e-12);
    EXPECT_NEAR(turn.zMaxMm, 22.5, 1e-12);
    geometry.angles().arcDeg = 180;
    EXPECT_NEAR(fieldOfView(geometry).radiusMm, 6.65, 1e-12);
    EXPECT_EQ(fitGrid(geometry).pitchMm, (std::array<double, 3>{0.7, 0.7, 0.7}));
    geometry.detector.tiltDeg = 30;
    EXPECT_NEAR(fieldOfView(geometry).zMaxMm, 22.5 / std::cos(radians(30)), 1e-12);
}

TEST(ParallelBeam, FootprintsHoldEveryRowThatASlabIsSeenOn) {
    for (const double tiltDeg : {0.0, 25.0}) {
        ScanGeometry geometry = parallelScan(180, 9);
        geometry.detector.tiltDeg = tiltDeg;
        VolumeGrid grid = {{9, 11, 30}, {1.1, 0.8, 0.61}, {2, -1, 0.4}};
        const AlignedViews views = alignedViews(geometry);
        const IndexRange slices = {7, 12};
        const IndexRange rows = footprintRows(views, grid, slices);
        double low = 1e9;
        double high = -1e9;
        for (const ProjectionMatrix& matrix : views.matrices)
            for (const double x : {0.0, 8.0})
                for (const double y : {0.0, 10.0})
                    for (Index z = slices.begin; z < slices.end; ++z) {
                        const Vec3 at = grid.positionMm(x, y, static_cast<double>(z));
                        const double v = matrix.project(at.x, at.y, at.z).v;
                        low = std::min(low, v);
                        high = std::max(high, v);
                    }
        EXPECT_LE(rows.begin, std::floor(low));
        EXPECT_GE(rows.end, std::floor(high) + 2);
        // At most a row more on either side, for rounding.
        EXPECT_GE(rows.begin, std::floor(low) - 1);
        EXPECT_LE(rows.end, std::floor(high) + 3);
    }
}

TEST(ParallelBeam, ProblemsAreToldOfArcsAndSlant) {
    EXPECT_TRUE(validate(parallelScan(180, 90)).empty());
    EXPECT_TRUE(validate(parallelScan(-360, 90)).empty());
    EXPECT_TRUE(validate(listedScan({0, 45, 90, 135, 180})).empty());

    const std::vector<Problem> ofShort = validate(parallelScan(150, 90));
    ASSERT_EQ(ofShort.size(), 1U);
    EXPECT_EQ(ofShort[0].severity, Problem::Severity::warning);
    EXPECT_EQ(ofShort[0].field, "trajectory.arcDeg");
    EXPECT_NE(ofShort[0].message.find("30° less than the half turn"), std::string::npos);

    ScanGeometry tilted = parallelScan(180, 90);
    tilted.detector.tiltDeg = 30;
    ASSERT_EQ(validate(tilted).size(), 1U);
    EXPECT_NE(validate(tilted)[0].message.find("needs a full turn"), std::string::npos);
    tilted.angles().arcDeg = 360;
    EXPECT_TRUE(validate(tilted).empty());
    // No half acquisition: a tilted axis has no ray that runs back.
    ScanGeometry aside = tilted;
    aside.detector.offsetMm[0] = 12;
    ASSERT_EQ(validate(aside).size(), 1U);
    EXPECT_EQ(validate(aside)[0].severity, Problem::Severity::warning);
    EXPECT_EQ(validate(aside)[0].field, "detector.offsetMm[0]");
    EXPECT_NE(validate(aside)[0].message.find("no wider volume"), std::string::npos);
    aside.detector.tiltDeg = 0;
    EXPECT_TRUE(validate(aside).empty());
    tilted.detector.slantDeg = 1;
    EXPECT_EQ(validate(tilted)[0].field, "detector.slantDeg");

    ScanGeometry beside = parallelScan(180, 90);
    beside.detector.offsetMm[0] = 30;
    EXPECT_EQ(validate(beside)[0].field, "detector.offsetMm[0]");
    // No source that a volume could reach.
    EXPECT_TRUE(
        validate(VolumeGrid{{41, 41, 21}, {0.7, 0.7, 0.9}, {0, 0, -2.1}}, parallelScan(180, 90))
            .empty());
}

}  // namespace
}  // namespace gantry
