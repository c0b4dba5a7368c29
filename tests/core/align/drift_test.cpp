#include "core/align/drift.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/align/monotone_curve.h"
#include "core/base/error.h"
#include "core/geometry/views/projection_matrix.h"
#include "tests/core/align/drifted_scan.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

using test::DriftedScan;
using test::DriftedViews;
using test::driftGeometry;
using test::evenAngles;

constexpr Index kScanViews = 72;

// Fast at first, and elsewhere along v than along u.
test::ShiftOfView warmingUp(double px) {
    return [px](Index s) {
        const double t = static_cast<double>(s) / (kScanViews - 1);
        return std::array{px * -std::expm1(-3 * t), -0.7 * px * t};
    };
}

DriftedScan longScan(double driftPx, double arcDeg = 360) {
    DriftedScan scan;
    scan.geometry = driftGeometry(evenAngles(kScanViews, 10, arcDeg));
    scan.shift = warmingUp(driftPx);
    return scan;
}

DriftedScan referenceAt(std::vector<double> anglesDeg) {
    DriftedScan scan;
    scan.geometry = driftGeometry(std::move(anglesDeg));
    scan.seed = 2;
    return scan;
}

Drift found(const DriftedViews& scan, const DriftedScan& reference) {
    const DriftedViews references(reference);
    DriftOptions options;
    options.threads = 2;
    return findDrift(scan.scan(), references.scan(), options);
}

// What users are promised.
constexpr double kPromisedPx = 0.1;

// Behind the last reference view the shift stays.
void expectTruth(const Drift& drift, const test::ShiftOfView& truth, double tolerancePx) {
    double last = 0;
    for (const DriftPoint& point : drift.points)
        if (point.fault.empty()) last = std::max(last, point.view);
    for (const int axis : {0, 1}) {
        ASSERT_TRUE(drift.isFound[axis]);
        for (Index s = 0; s < std::ssize(drift.shiftsPx); ++s)
            EXPECT_NEAR(drift.shiftsPx[s][axis], truth(std::min(s, std::lround(last)))[axis],
                        tolerancePx)
                << "view " << s << " along " << axis;
    }
}

TEST(Drift, IsFoundInThreeStrengths) {
    std::vector<double> angles = evenAngles(12, 10, 360);
    angles.push_back(10 + 71 * 5);
    for (const double px : {0.5, 3.0, 12.0}) {
        SCOPED_TRACE(px);
        const Drift drift = found(DriftedViews(longScan(px)), referenceAt(angles));
        ASSERT_EQ(drift.points.size(), angles.size());
        for (const DriftPoint& point : drift.points) {
            ASSERT_EQ(point.fault, "");
            for (const int axis : {0, 1})
                EXPECT_NEAR(point.shiftPx[axis], warmingUp(px)(std::lround(point.view))[axis],
                            kPromisedPx / 2);
        }
        expectTruth(drift, warmingUp(px), kPromisedPx);
        EXPECT_TRUE(drift.isSignificant);
        for (const int axis : {0, 1}) {
            EXPECT_GT(drift.residualPx[axis], 0);
            // Without a point the gap is twice as long.
            EXPECT_LT(drift.residualPx[axis], 0.05 + 0.02 * px);
        }
    }
}

TEST(Drift, NoneLeavesTheGeometry) {
    const DriftedScan scan = longScan(0);
    const Drift drift = found(DriftedViews(scan), referenceAt(evenAngles(9, 10, 360)));
    EXPECT_FALSE(drift.isSignificant);
    EXPECT_EQ(withDrift(scan.geometry, drift), scan.geometry);
    expectTruth(drift, warmingUp(0), kPromisedPx / 2);
}

TEST(Drift, ReferenceViewsInAnyOrderAreTheSame) {
    std::vector<double> angles = evenAngles(9, 10, 360);
    const DriftedViews scan(longScan(3));
    std::mt19937 random(3);
    std::ranges::shuffle(angles, random);
    angles[2] -= 360;
    const Drift drift = found(scan, referenceAt(angles));
    expectTruth(drift, warmingUp(3), kPromisedPx);
    for (std::size_t i = 0; i < angles.size(); ++i)
        EXPECT_DOUBLE_EQ(drift.points[i].angleDeg, angles[i]);
}

// The object turns between the two views on either side, by 3 px at its edge.
TEST(Drift, AnglesBetweenTwoViewsAreInterpolated) {
    const Drift drift =
        found(DriftedViews(longScan(3)), referenceAt(evenAngles(12, 10 + 0.3 * 5, 360)));
    ASSERT_EQ(drift.points.size(), 12);
    for (Index i = 0; i < 12; ++i) {
        const DriftPoint& point = drift.points[i];
        EXPECT_NEAR(point.view, static_cast<double>(6 * i) + 0.3, 1e-9);
        const double t = point.view / (kScanViews - 1);
        EXPECT_NEAR(point.shiftPx[0], 3 * -std::expm1(-3 * t), kPromisedPx);
        EXPECT_NEAR(point.shiftPx[1], -0.7 * 3 * t, kPromisedPx);
    }
}

// Two turns see every angle twice.
TEST(Drift, EachTurnHasItsPoints) {
    const Drift drift = found(DriftedViews(longScan(3, 720)), referenceAt(evenAngles(6, 10, 360)));
    EXPECT_EQ(drift.points.size(), 12);
    expectTruth(drift, warmingUp(3), kPromisedPx);
}

TEST(Drift, ViewsThatDoNotTellAreLeftOutAndNamed) {
    const DriftedScan half = longScan(3, 180);
    std::vector<double> angles = evenAngles(6, 10, 180);
    angles.push_back(250);  // beyond the arc
    DriftedScan reference = referenceAt(angles);
    reference.blankView = 2;
    const Drift drift = found(DriftedViews(half), reference);
    ASSERT_EQ(drift.points.size(), 7);
    EXPECT_NE(drift.points[2].fault.find("another picture than view 24"), std::string::npos)
        << drift.points[2].fault;
    EXPECT_NE(drift.points[6].fault.find("from the nearest view of the scan, 71"),
              std::string::npos)
        << drift.points[6].fault;
    for (const std::size_t i : {0, 1, 3, 4, 5})
        EXPECT_EQ(drift.points[i].fault, "");
    // Views behind the last point keep its shift.
    EXPECT_DOUBLE_EQ(drift.shiftsPx[71][0], drift.shiftsPx[60][0]);
    EXPECT_NEAR(drift.shiftsPx[30][0], warmingUp(3)(30)[0], kPromisedPx);
}

TEST(Drift, WrongReferencesAreRefused) {
    const DriftedViews scan(longScan(3, 180));
    EXPECT_ERROR((void)found(scan, referenceAt({200, 230, 260})), InputError,
                 "only 0 of 3 reference views tell how the scan drifted, and at least 2 at "
                 "different angles are needed. View 0 at 200° lies");
    EXPECT_ERROR((void)found(scan, referenceAt({10, 370, 600})), InputError, "only 1 of 3");
    DriftedScan other = referenceAt({10, 100});
    other.geometry.detector.columns = 120;
    EXPECT_ERROR((void)found(scan, other), InputError,
                 "detector.columns: is 120, and the scan has 119. Reference views are taken");
    other = referenceAt({10, 100});
    other.geometry.detector.pitchMm[1] = 2.5;
    EXPECT_ERROR((void)found(scan, other), InputError, "detector.pitchMm[1]: is 2.5");
    other = referenceAt({10, 100});
    other.geometry.cone().sourceToDetectorMm = 1100;
    EXPECT_ERROR((void)found(scan, other), InputError, "trajectory.sourceToDetectorMm: is 1100");
}

TEST(Drift, AParallelBeamIsRefused) {
    DriftedScan parallel = referenceAt(evenAngles(4, 0, 180));
    const GantryAngles angles = parallel.geometry.cone();
    parallel.geometry.trajectory = ParallelBeam{angles};
    EXPECT_ERROR((void)found(DriftedViews(parallel), parallel), InputError,
                 "trajectory.type: is parallel");
}

TEST(Drift, IsNotCorrectedTwice) {
    DriftedScan scan = longScan(3);
    const DriftedScan reference = referenceAt(evenAngles(9, 10, 360));
    scan.geometry = withDrift(scan.geometry, found(DriftedViews(scan), reference));
    scan.shift = [](Index) { return std::array<double, 2>{0, 0}; };  // the poses have it
    EXPECT_ERROR((void)found(DriftedViews(scan), reference), InputError,
                 "trajectory.poses: hold the shifts already");
}

// Every point of the world is seen where the drifted picture shows it.
TEST(Drift, PosesProjectOntoTheShiftedPicture) {
    ScanGeometry geometry = driftGeometry(evenAngles(5, 0, 360));
    geometry.detector.rollDeg = 0.7;
    Drift drift;
    drift.isSignificant = true;
    for (Index s = 0; s < 5; ++s)
        drift.shiftsPx.push_back({0.5 * static_cast<double>(s), -1.25});
    const ScanGeometry moved = withDrift(geometry, drift);
    ASSERT_NE(moved.poses(), nullptr);
    const std::vector<ProjectionMatrix> before = projectionMatrices(geometry);
    const std::vector<ProjectionMatrix> after = projectionMatrices(moved);
    for (Index s = 0; s < 5; ++s) {
        const ProjectionMatrix::Point was = before[s].project(21, -13, 17);
        const ProjectionMatrix::Point is = after[s].project(21, -13, 17);
        // Rounding of numbers of some hundred pixels.
        EXPECT_NEAR(is.u, was.u + drift.shiftsPx[s][0], 1e-9);
        EXPECT_NEAR(is.v, was.v + drift.shiftsPx[s][1], 1e-9);
        EXPECT_NEAR(is.z, was.z, 1e-9);
    }
}

TEST(MonotoneCurve, GoesThroughItsPointsAndNowhereBeyondThem) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> uniform(0.1, 3);
    std::vector<double> x = {-2};
    std::vector<double> y = {5};
    for (int i = 0; i < 9; ++i) {
        x.push_back(x.back() + uniform(random));
        y.push_back(y.back() + (i % 3 == 2 ? -1 : 1) * uniform(random));
    }
    const MonotoneCurve curve(x, y);
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
        EXPECT_DOUBLE_EQ(curve.at(x[i]), y[i]);
        for (int j = 1; j < 20; ++j) {
            const double value = curve.at(x[i] + (x[i + 1] - x[i]) * j / 20);
            EXPECT_GE(value, std::min(y[i], y[i + 1]) - 1e-12);
            EXPECT_LE(value, std::max(y[i], y[i + 1]) + 1e-12);
        }
    }
    EXPECT_DOUBLE_EQ(curve.at(-100), y.front());
    EXPECT_DOUBLE_EQ(curve.at(100), y.back());
}

// A parabola between even points is followed to a fraction of what straight lines miss, h²/4.
TEST(MonotoneCurve, IsSmooth) {
    const MonotoneCurve curve({1, 2, 3, 4}, {1, 4, 9, 16});
    EXPECT_NEAR(curve.at(2.5), 6.25, 0.05);
    EXPECT_DOUBLE_EQ(MonotoneCurve({3, 7}, {1, 9}).at(4), 3);
    EXPECT_DOUBLE_EQ(MonotoneCurve({3}, {1}).at(4), 1);
}

}  // namespace
}  // namespace gantry
