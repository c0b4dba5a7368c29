#include "core/geometry/scan_geometry.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/geometry/views/projection_matrix.h"
#include "tests/core/geometry/random_geometry.h"

namespace gantry {
namespace {

double sumDeg(const std::vector<double>& weightsRad) {
    return degrees(std::accumulate(weightsRad.begin(), weightsRad.end(), 0.0));
}

ScanGeometry withAngles(std::vector<double> angles) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 500;
    geometry.cone().sourceToDetectorMm = 1000;
    geometry.detector = {.columns = 100, .rows = 80, .pitchMm = {1, 1}};
    geometry.cone().views = static_cast<Index>(angles.size());
    geometry.cone().anglesDeg = std::move(angles);
    return geometry;
}

void expectNear(Vec3 a, Vec3 b) {
    // Rounding of lengths of 10³ mm.
    EXPECT_LT(length(a - b), 1e-10) << a.x << ' ' << a.y << ' ' << a.z;
}

// A step of 80° and a gap of 120° behind the last view: half a step is missing.
TEST(ScanGeometry, AFullCircleMayLackHalfAStep) {
    ScanGeometry geometry = withAngles({});
    geometry.cone().views = 4;
    for (const double sign : {1.0, -1.0}) {
        geometry.cone().arcDeg = sign * 320;
        EXPECT_TRUE(geometry.isFullCircle());
        geometry.cone().arcDeg = sign * 319.9;
        EXPECT_FALSE(geometry.isFullCircle());
    }
}

TEST(ViewPose, StandsWhereTheConventionSays) {
    ScanGeometry geometry = withAngles({0, 90, 30});
    geometry.cone().sourceOffsetMm = {3, -2};
    geometry.detector.offsetMm = {7, 5};
    geometry.detector.pitchMm = {0.5, 0.25};
    const ViewPose at0 = viewPose(geometry, 0);
    expectNear(at0.sourceMm, {3, -500, -2});
    expectNear(at0.detectorCenterMm, {7, 500, 5});
    expectNear(at0.uStepMm, {0.5, 0, 0});
    expectNear(at0.vStepMm, {0, 0, 0.25});
    // A quarter turn, counter-clockwise seen from above, takes x to y and y to −x.
    const ViewPose at90 = viewPose(geometry, 1);
    expectNear(at90.sourceMm, {500, 3, -2});
    expectNear(at90.detectorCenterMm, {-500, 7, 5});
    expectNear(at90.uStepMm, {0, 0.5, 0});
}

TEST(ViewPose, TurnsTheDetectorTheWayItsFieldsSay) {
    ScanGeometry geometry = withAngles({0, 180});
    const auto pose = [&](double roll, double tilt, double slant) {
        geometry.detector.rollDeg = roll;
        geometry.detector.tiltDeg = tilt;
        geometry.detector.slantDeg = slant;
        return viewPose(geometry, 0);
    };
    const double c = std::cos(radians(10));
    const double s = std::sin(radians(10));
    // At 0° the source is at −y: the far side is +y, up is z.
    expectNear(pose(10, 0, 0).uStepMm, {c, 0, s});
    expectNear(pose(0, 10, 0).vStepMm, {0, s, c});
    expectNear(pose(0, 0, 10).uStepMm, {c, s, 0});
    // All three, as the product of matrices in the axes (u, v, n) = (x, z, y).
    const ViewPose all = pose(10, 20, 30);
    const double cr = c;
    const double sr = s;
    const double ct = std::cos(radians(20));
    const double st = std::sin(radians(20));
    const double cs = std::cos(radians(30));
    const double ss = std::sin(radians(30));
    // Rn(roll)·e_u = (cr, sr, 0); Ru(tilt) then gives (cr, sr·ct, sr·st); Rv(slant) mixes u and n.
    expectNear(all.uStepMm, {cr * cs - sr * st * ss, cr * ss + sr * st * cs, sr * ct});
    expectNear(all.vStepMm, {-sr * cs - cr * st * ss, -sr * ss + cr * st * cs, cr * ct});
}

TEST(ScanGeometry, AxisColumnAndMidplaneRowAreWhereTheyAreSeen) {
    test::RandomGeometry random(1);
    for (int i = 0; i < 50; ++i) {
        const ScanGeometry geometry = random.aligned();
        const ProjectionMatrix matrix = projectionMatrix(viewPose(geometry, 1), geometry.detector);
        // Rounding of pixel coordinates of 10³.
        EXPECT_NEAR(matrix.project(0, 0, 12).u, geometry.axisColumn(), 1e-9);
        EXPECT_NEAR(matrix.project(5, -3, geometry.cone().sourceOffsetMm[1]).v,
                    geometry.midplaneRow(), 1e-9);
    }
}

TEST(AngularWeights, ShareARegularArcEvenly) {
    test::RandomGeometry random(2);
    for (int i = 0; i < 20; ++i) {
        const ScanGeometry geometry = random.aligned();
        const std::vector<double> weights = angularWeightsRad(geometry);
        ASSERT_EQ(static_cast<Index>(weights.size()), geometry.views());
        for (const double weight : weights)
            EXPECT_DOUBLE_EQ(weight, radians(std::abs(geometry.cone().arcDeg)) /
                                         static_cast<double>(geometry.views()));
        EXPECT_NEAR(sumDeg(weights), geometry.coverageDeg(), 1e-9);
    }
}

TEST(AngularWeights, OfAListEqualThoseOfTheRegularScanThatItSpells) {
    for (const double arc : {360.0, 200.0, -360.0, -210.0}) {
        ScanGeometry regular = withAngles({});
        regular.cone().views = 36;
        regular.cone().startDeg = 33;
        regular.cone().arcDeg = arc;
        std::vector<double> angles;
        for (Index s = 0; s < regular.views(); ++s)
            angles.push_back(regular.angleDeg(s));
        const ScanGeometry listed = withAngles(angles);
        EXPECT_NEAR(listed.coverageDeg(), regular.coverageDeg(), 1e-9);
        const std::vector<double> expected = angularWeightsRad(regular);
        const std::vector<double> weights = angularWeightsRad(listed);
        for (std::size_t s = 0; s < weights.size(); ++s)
            EXPECT_NEAR(weights[s], expected[s], 1e-12);
    }
}

TEST(AngularWeights, GiveAViewHalfTheGapsBesideIt) {
    // A closed circle out of order: sorted 0, 80, 170, 250 with 110 to go round.
    const ScanGeometry closed = withAngles({170, 0, 250, 80});
    EXPECT_DOUBLE_EQ(closed.coverageDeg(), 360);
    const std::vector<double> weights = angularWeightsRad(closed);
    EXPECT_NEAR(degrees(weights[0]), (90 + 80) / 2.0, 1e-9);
    EXPECT_NEAR(degrees(weights[1]), (110 + 80) / 2.0, 1e-9);
    EXPECT_NEAR(degrees(weights[2]), (80 + 110) / 2.0, 1e-9);
    EXPECT_NEAR(degrees(weights[3]), (80 + 90) / 2.0, 1e-9);
    // An open arc: beyond its ends counts the mean step of 60°.
    const ScanGeometry open = withAngles({10, 80, 130, 190});
    EXPECT_DOUBLE_EQ(open.coverageDeg(), 240);
    const std::vector<double> ends = angularWeightsRad(open);
    EXPECT_NEAR(degrees(ends[0]), (60 + 70) / 2.0, 1e-9);
    EXPECT_NEAR(degrees(ends[3]), (60 + 60) / 2.0, 1e-9);
    EXPECT_NEAR(sumDeg(ends), 240, 1e-9);
}

TEST(AngularWeights, SumToTheCoverageOfAnyList) {
    test::RandomGeometry random(3);
    for (int i = 0; i < 200; ++i) {
        const ScanGeometry geometry = random.listed();
        EXPECT_NEAR(sumDeg(angularWeightsRad(geometry)), geometry.coverageDeg(), 1e-9);
    }
}

TEST(ContiguousAngles, CountOnBeyondATurn) {
    EXPECT_EQ(contiguousAngles({350, 355, 0, 5}), (std::vector<double>{350, 355, 360, 365}));
    std::vector<double> folded;
    std::vector<double> expected;
    for (int s = 0; s < 220; ++s) {
        expected.push_back(290 + s);
        folded.push_back((290 + s) % 360);
    }
    EXPECT_EQ(contiguousAngles(folded), expected);
    EXPECT_NEAR(withAngles(contiguousAngles(folded)).coverageDeg(), 220, 1e-9);
}

// Four views: three equal steps and a gap, 60° and 180° or a little less and a little more.
TEST(ContiguousAngles, CountOnAcrossAGapOfMoreThanThreeSteps) {
    const std::vector<double> threeSteps = {270, 330, 30, 90};
    EXPECT_EQ(contiguousAngles(threeSteps), threeSteps);
    const std::vector<double> counted = {270, 329.9375, 389.875, 449.8125};
    EXPECT_EQ(contiguousAngles({270, 329.9375, 29.875, 89.8125}), counted);
}

TEST(ContiguousAngles, LeaveEveryOtherListAlone) {
    std::vector<double> circle;
    std::vector<double> arc;
    std::vector<double> golden;
    std::vector<double> twoTurns;
    for (int s = 0; s < 360; ++s) {
        if (s != 100 && s != 101) circle.push_back(s);  // two views lost
        arc.push_back(-90 + s * 0.6);
        golden.push_back(std::fmod(s * 137.50776405, 360));
        twoTurns.push_back(s * 2);
    }
    for (const auto& list : {circle, arc, golden, twoTurns, {}, {7}})
        EXPECT_EQ(contiguousAngles(list), list);
}

}  // namespace
}  // namespace gantry
