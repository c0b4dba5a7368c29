#include "core/geometry/views/ray_cover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace gantry {
namespace {

// The weight of the ray through a detector column in a view.
double weightOf(const RayCover& cover, const ScanGeometry& geometry, Index view, double u) {
    return cover.weightAt(geometry.angleDeg(view), rayAcross(alignedDetector(geometry), u));
}

double beginDeg(const ScanGeometry& geometry, const RayCover& cover) {
    double begin = geometry.angleDeg(0);
    for (Index s = 1; s < geometry.views(); ++s)
        begin = std::min(begin, geometry.angleDeg(s));
    return begin - cover.stepDeg() / 2;
}

ScanGeometry scan(double arcDeg, Index views) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 600;
    geometry.cone().sourceToDetectorMm = 1200;
    geometry.cone().startDeg = 33;
    geometry.cone().arcDeg = arcDeg;
    geometry.cone().views = views;
    geometry.detector = {.columns = 128, .rows = 4, .pitchMm = {4, 4}};
    return geometry;
}

// A ray of the orbit's plane as a line: direction and signed distance from the axis.
struct Line {
    double directionRad;
    double distanceMm;
};

// Written with the positions of resources/help/architecture.md, not with the code under test.
Line lineThrough(const ScanGeometry& geometry, double angleDeg, double u) {
    const double a = radians(angleDeg);
    const Vec3 uAxis = {std::cos(a), std::sin(a), 0};
    const Vec3 normal = {-std::sin(a), std::cos(a), 0};
    const double center = (static_cast<double>(geometry.detector.columns) - 1) / 2;
    const double uMm = (u - center) * geometry.detector.pitchMm[0] + geometry.detector.offsetMm[0];
    const Vec3 source =
        geometry.cone().sourceOffsetMm[0] * uAxis + -geometry.cone().sourceToIsocenterMm * normal;
    const Vec3 pixel =
        uMm * uAxis +
        (geometry.cone().sourceToDetectorMm - geometry.cone().sourceToIsocenterMm) * normal;
    const Vec3 along = pixel - source;
    return {std::atan2(along.y, along.x), cross(along, source).z / length(along)};
}

// The measurement of the same line from the other side: column, and gantry angle modulo 360°.
struct Conjugate {
    double angleDeg;
    double u;
};

Conjugate conjugateOf(const ScanGeometry& geometry, double angleDeg, double u) {
    const Line line = lineThrough(geometry, angleDeg, u);
    double low = -1000;
    double high = 2000;  // far outside the detector on either side
    for (int i = 0; i < 100; ++i) {
        const double middle = (low + high) / 2;
        const bool below = lineThrough(geometry, 0, middle).distanceMm > -line.distanceMm;
        (below ? low : high) = middle;
    }
    // A line turns with the gantry, so the angle that turns it onto the opposite direction is the
    // difference of directions.
    const double turn = line.directionRad + kPi - lineThrough(geometry, 0, low).directionRad;
    return {degrees(turn), low};
}

// Sum of the weights of every measurement of the ray through column u at the angle.
double weightOfRay(const RayCover& cover, const ScanGeometry& geometry, double angleDeg, double u) {
    // A view stands for half a step to either side of its angle.
    const double first = beginDeg(geometry, cover);
    const AlignedDetector detector = alignedDetector(geometry);
    const auto sumOverTurns = [&](double angle, double column) {
        double sum = 0;
        for (int turn = -10; turn <= 10; ++turn) {
            const double at = angle + 360 * turn;
            if (at >= first && at < first + cover.coverageDeg())
                sum += cover.weightAt(at, rayAcross(detector, column));
        }
        return sum;
    };
    const Conjugate other = conjugateOf(geometry, angleDeg, u);
    return sumOverTurns(angleDeg, u) + sumOverTurns(other.angleDeg, other.u);
}

std::vector<double> sharesDeg(const RayCover& cover) {
    std::vector<double> shares = cover.sharesRad();
    for (double& share : shares)
        share = degrees(share);
    return shares;
}

// What the views weigh in all for a ray's direction, with their shares of the turn: half a turn's
// worth where every ray is measured.
double levelOf(const ScanGeometry& geometry, double across,
               const std::vector<Index>& leftOut = {}) {
    const RayCover cover(geometry, leftOut);
    const std::vector<double> shares = sharesDeg(cover);
    double sum = 0;
    for (Index s = 0; s < geometry.views(); ++s)
        for (const double sign : {-1.0, 1.0})
            sum += shares[static_cast<std::size_t>(s)] *
                   (sign * across < cover.reachAfter() && -sign * across < cover.reachBefore()
                        ? cover.viewWeight(geometry.angleDeg(s), sign * across)
                        : 0);
    return sum / 360;
}

// A parallel ray is measured again half a turn on, on the column mirrored about the axis.
TEST(RayCover, WeightsOfAParallelRaySumToOne) {
    struct ParallelCase {
        double arcDeg;
        double offsetMm;
    };
    for (const ParallelCase& c : {ParallelCase{180, 3},
                                  {-180, 3},
                                  {181, 0},
                                  {-225, 3},
                                  {310, 0},
                                  {360, 3},
                                  {-360, 90},
                                  {360, -71}}) {
        SCOPED_TRACE(c.arcDeg);
        SCOPED_TRACE(c.offsetMm);
        ScanGeometry geometry = scan(c.arcDeg, 200);
        const GantryAngles angles = geometry.cone();
        geometry.trajectory = ParallelBeam{angles};
        geometry.detector.offsetMm[0] = c.offsetMm;
        const RayCover cover(geometry);
        const AlignedDetector detector = alignedDetector(geometry);
        const double first = beginDeg(geometry, cover);
        for (int i = 0; i < 150; ++i) {
            const double angle = first + 1.2 * i + 0.1;
            for (double u = 0.3; u < 127; u += 9.1) {
                double sum = 0;
                for (int half = 0; angle + 180 * half < first + cover.coverageDeg(); ++half) {
                    const double across = (half % 2 == 0 ? 1 : -1) * rayAcross(detector, u);
                    if (across < cover.reachAfter() && -across < cover.reachBefore())
                        sum += cover.weightAt(angle + 180 * half, across);
                }
                // The two weights are sin² and cos² of one angle.
                EXPECT_NEAR(sum, 1, 1e-9) << angle << " " << u;
            }
        }
    }
}

struct Case {
    const char* name;
    double arcDeg;
    double detectorOffsetMm;
    double sourceOffsetMm;
};

class EveryRay : public testing::TestWithParam<Case> {};

TEST_P(EveryRay, WeighsOneInAll) {
    const Case& c = GetParam();
    ScanGeometry geometry = scan(c.arcDeg, 200);
    geometry.detector.offsetMm[0] = c.detectorOffsetMm;
    geometry.cone().sourceOffsetMm[0] = c.sourceOffsetMm;
    const RayCover cover(geometry);
    const bool isTurn = std::abs(c.arcDeg) >= 360;
    // An offset detector on less than a turn leaves rays out that are not looked at here.
    EXPECT_EQ(cover.missing().has_value(), !isTurn && c.detectorOffsetMm != 0);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> angle(0, std::min(std::abs(c.arcDeg), 360.0));
    // Rays that both sides see; in a whole turn also those that only one side sees.
    const double shared = std::min(cover.reachBefore(), cover.reachAfter());
    const double sharedColumns = std::tan(shared) * 1200 / 4 * 0.98;
    const double axis = geometry.axisColumn();
    std::uniform_real_distribution<double> column(isTurn ? 0 : axis - sharedColumns,
                                                  isTurn ? 127 : axis + sharedColumns);
    for (int i = 0; i < 2000; ++i) {
        const double u = column(random);
        const double at = beginDeg(geometry, cover) + angle(random);
        // The bisection finds the conjugate to 1e-12 pixels; weights are smooth.
        EXPECT_NEAR(weightOfRay(cover, geometry, at, u), 1, 1e-9) << "angle " << at << ", u " << u;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Scans, EveryRay,
    testing::Values(Case{"Circle", 360, 0, 0}, Case{"ClockwiseCircle", -360, 0, 20},
                    Case{"TurnAndABit", 400, 0, 0}, Case{"ThreeTurnsAndMore", -1300, 0, 0},
                    Case{"TwoTurns", 720, 0, 0}, Case{"ShortScan", 240, 0, 0},
                    Case{"ShortestScan", 204.2, 0, 0}, Case{"ClockwiseShortScan", -240, 0, 0},
                    Case{"LongShortScan", 350, 0, 0}, Case{"ShortScanShiftedSource", 230, 0, 20},
                    Case{"ShortScanShiftedDetector", -230, 60, 0},
                    Case{"SlightlyOffset", 360, 9, 0}, Case{"OffsetRight", 360, 120, 0},
                    Case{"OffsetLeft", -360, -120, 15}, Case{"OffsetTurnAndABit", 380, 200, 0}),
    [](const auto& test) { return test.param.name; });

TEST(RayCover, ACircleWeighsOneHalfEverywhere) {
    const ScanGeometry geometry = scan(360, 90);
    const RayCover cover(geometry);
    ASSERT_TRUE(cover.isClosed());
    EXPECT_EQ(weightOf(cover, geometry, 0, 0), 0.5);
    EXPECT_EQ(weightOf(cover, geometry, 89, 127), 0.5);
    EXPECT_EQ(cover.sharesRad(), angularWeightsRad(geometry));
}

TEST(RayCover, ATurnAndABitFadesInAndOut) {
    const ScanGeometry geometry = scan(400, 400);
    const RayCover cover(geometry);
    // View s is at s + 1/2 degrees of ramps of 40°, of the one half that a ray weighs from one
    // side.
    const auto ramp = [](double x) { return std::pow(std::sin(kPi / 2 * x / 40), 2) / 2; };
    EXPECT_NEAR(weightOf(cover, geometry, 0, 50), ramp(0.5), 1e-12);
    EXPECT_NEAR(weightOf(cover, geometry, 10, 50), ramp(10.5), 1e-12);
    EXPECT_NEAR(weightOf(cover, geometry, 200, 50), 0.5, 1e-12);
    EXPECT_NEAR(weightOf(cover, geometry, 370, 50), ramp(29.5), 1e-12);
    EXPECT_NEAR(weightOf(cover, geometry, 399, 50), ramp(0.5), 1e-12);
}

// Parker's weights as Silver widened them, over all of the arc in excess of 180°, where the fade is
// shorter than 60°.
TEST(RayCover, AShortScanHasParkersWeights) {
    const ScanGeometry geometry = scan(210, 210);
    const RayCover cover(geometry);
    const AlignedDetector detector = alignedDetector(geometry);
    for (const double u : {20.0, 50.0, 63.5, 100.0})
        for (Index s = 1; s < 60; ++s) {
            const double gamma = degrees(rayAcross(detector, u));
            const double x = static_cast<double>(s) + 0.5;
            const double twice = 30 + 2 * gamma;
            const double expected = x < twice ? std::pow(std::sin(kPi / 2 * x / twice), 2) : 1;
            EXPECT_NEAR(weightOf(cover, geometry, s, u), expected, 1e-9) << u << " " << s;
        }
}

TEST(RayCover, AnOffsetDetectorHasWangsWeights) {
    ScanGeometry geometry = scan(360, 90);
    geometry.detector.offsetMm[0] = 200;  // reaches eight times as far to the right
    const RayCover cover(geometry);
    const double shared = cover.reachBefore();
    for (double across = -0.99 * shared; across < shared; across += shared / 10)
        EXPECT_NEAR(cover.weightAt(17, across),
                    std::pow(std::sin(kPi / 4 * (1 + across / shared)), 2), 1e-9);
    EXPECT_NEAR(cover.weightAt(17, 1.5 * shared), 1, 1e-12);
}

TEST(RayCover, ListedAnglesAreTakenAsTheyCome) {
    ScanGeometry geometry = scan(0, 240);
    for (Index s = 0; s < 240; ++s)
        geometry.cone().anglesDeg.push_back(100 - static_cast<double>(s));
    const RayCover cover(geometry);
    EXPECT_NEAR(cover.coverageDeg(), 240, 1e-9);
    ScanGeometry regular = scan(-240, 240);
    regular.cone().startDeg = 100;
    const RayCover same(regular);
    for (const Index s : {0, 3, 120, 237, 239})
        EXPECT_NEAR(weightOf(cover, geometry, s, 100), weightOf(same, regular, s, 100), 1e-9);
}

// The level of what is reconstructed is the sum of the views' weights. 1e-3: of the 2,000
// directions that 200 views and 10 points make, some are a hundredth of a step off.
TEST(RayCover, TheLevelIsRightHoweverTheTurnEnds) {
    for (const double offsetMm : {0.0, 8.0, 120.0, -190.0})
        for (const double surplus : {-2.0, -1.0, -0.5, 0.0, 0.3, 0.5, 1.0, 1.7, 40.0}) {
            SCOPED_TRACE(offsetMm);
            SCOPED_TRACE(surplus);
            ScanGeometry geometry = scan(360 + 4 * surplus, 90);
            if (surplus != std::floor(surplus)) {
                geometry.cone().views = 91;
                geometry.cone().anglesDeg.clear();
                for (int s = 0; s < 91; ++s)
                    geometry.cone().anglesDeg.push_back(s * (356 + 4 * surplus) / 90);
            }
            geometry.detector.offsetMm[0] = offsetMm;
            const RayCover cover(geometry);
            const double farther = std::max(cover.reachBefore(), cover.reachAfter());
            for (const double part : {0.05, 0.4, 0.7, 0.97})
                EXPECT_NEAR(levelOf(geometry, part * farther), 1, 1e-3) << part;
        }
}

TEST(RayCover, BothEndsOfATurnShareTheirStep) {
    for (const double turnDeg : {360.0, std::nextafter(360.0, 0.0), std::nextafter(360.0, 361.0)}) {
        ScanGeometry geometry = scan(0, 61);
        for (int s = 0; s < 60; ++s)
            geometry.cone().anglesDeg.push_back(6 * s);
        geometry.cone().anglesDeg.push_back(turnDeg);  // as sums of steps are rounded
        const std::vector<double> shares = sharesDeg(RayCover(geometry));
        EXPECT_NEAR(shares.front(), 3, 1e-9);
        EXPECT_NEAR(shares[1], 6, 1e-9);
        EXPECT_NEAR(shares.back(), 3, 1e-9);
    }
}

// A gap of a whole turn is filled from the other side; where only one side sees, the views beside
// it stand for up to 5° of it each.
TEST(RayCover, AGapIsFilledFromTheOtherSide) {
    for (const double offsetMm : {0.0, 120.0}) {
        ScanGeometry geometry = scan(360, 360);
        geometry.detector.offsetMm[0] = offsetMm;
        for (const Index gap : {2, 8, 50}) {
            SCOPED_TRACE(offsetMm);
            SCOPED_TRACE(gap);
            std::vector<Index> leftOut(static_cast<std::size_t>(gap));
            std::iota(leftOut.begin(), leftOut.end(), 100);
            const RayCover cover(geometry, leftOut);
            EXPECT_NEAR(levelOf(geometry, 0.3 * cover.reachBefore(), leftOut), 1, 1e-3);
            if (offsetMm == 0) {
                EXPECT_FALSE(cover.missing());
                continue;
            }
            const double lost = gap <= 10 ? 0 : static_cast<double>(gap) - 2;
            EXPECT_NEAR(levelOf(geometry, 1.5 * cover.reachBefore(), leftOut), 1 - lost / 360,
                        1e-3);
            if (gap == 2) {
                EXPECT_FALSE(cover.missing());  // no more than a long step
                continue;
            }
            ASSERT_TRUE(cover.missing());
            EXPECT_NEAR(cover.missing()->missingDeg, static_cast<double>(gap), 1e-6);
            EXPECT_TRUE(cover.missing()->isSeenByOneSide);
            EXPECT_NEAR(cover.missing()->fromMm, 600 * std::sin(cover.reachBefore()), 5);
            EXPECT_NEAR(cover.missing()->toMm, 600 * std::sin(cover.reachAfter()), 1e-6);
        }
    }
}

// The view before two that are left out stands for more than a step; at the end of an arc, where
// weights fall within a step, it counts by what it stands for.
TEST(RayCover, ViewsBesideTheEndMayBeLeftOut) {
    for (const bool isParallel : {true, false})
        for (const std::vector<Index>& leftOut :
             {std::vector<Index>{1}, {1, 2}, {142, 143}, {0, 2}, {2, 3, 142}}) {
            SCOPED_TRACE(isParallel);
            SCOPED_TRACE(leftOut.size());
            // Both ends of half a turn, or of a whole one with a detector that is offset.
            ScanGeometry geometry = scan(isParallel ? 181.25 : 362.5, 145);
            if (isParallel) geometry.trajectory = ParallelBeam{GantryAngles(geometry.cone())};
            geometry.detector.offsetMm[0] = isParallel ? 0 : 120;
            const double across = RayCover(geometry).reachBefore();
            for (const double part : {0.1, 0.5, 0.9})
                EXPECT_NEAR(levelOf(geometry, part * across, leftOut), 1, 1e-3) << part;
        }
}

TEST(RayCover, BurstsAndUnevenStepsAreNoGaps) {
    ScanGeometry geometry = scan(0, 0);
    std::mt19937 random(3);
    std::uniform_real_distribution<double> shift(-0.9, 0.9);
    for (int burst = 0; burst < 90; ++burst)
        for (int i = 0; i < 3; ++i)
            geometry.cone().anglesDeg.push_back(4 * burst + 0.1 * i + shift(random));
    geometry.cone().views = 270;
    const RayCover cover(geometry);
    EXPECT_TRUE(cover.isClosed());
    EXPECT_FALSE(cover.missing());
    EXPECT_NEAR(levelOf(geometry, 0.05), 1, 1e-9);
}

// Half of the turn in steps of 0.5°, the other one in steps of 3°: no step of it is a gap, and one
// of 30° is.
TEST(RayCover, APartOfTheTurnMayHaveCoarserSteps) {
    ScanGeometry geometry = scan(0, 0);
    std::vector<double>& angles = geometry.cone().anglesDeg;
    for (int i = 0; i < 360; ++i)
        angles.push_back(0.5 * i);
    for (int i = 0; i < 60; ++i)
        angles.push_back(180 + 3 * i);
    geometry.cone().views = std::ssize(angles);
    EXPECT_TRUE(RayCover(geometry).isClosed());
    EXPECT_FALSE(RayCover(geometry).missing());
    EXPECT_NEAR(levelOf(geometry, 0.05), 1, 1e-9);
    angles.erase(angles.begin() + 380, angles.begin() + 389);
    geometry.cone().views = std::ssize(angles);
    EXPECT_FALSE(RayCover(geometry).isClosed());
    // Four steps that are as long in a row are four gaps.
    angles.clear();
    for (int i = 0; i < 720; ++i)
        if (i < 400 || i > 424 || i % 6 == 0) angles.push_back(0.5 * i);
    geometry.cone().views = std::ssize(angles);
    EXPECT_FALSE(RayCover(geometry).isClosed());
}

TEST(RayCover, SaysWhatAShortArcLacks) {
    const RayCover cover(scan(190, 190));
    ASSERT_TRUE(cover.missing());
    // 180° and the fan of 24.1° are needed; at the edge the most is missing.
    EXPECT_NEAR(cover.missing()->missingDeg, 14.09, 0.4);
    EXPECT_FALSE(cover.missing()->isSeenByOneSide);
    EXPECT_GT(cover.missing()->fromMm, 50);
    EXPECT_NEAR(cover.missing()->toMm, 125.2, 0.1);
    // One step less than needed is as good as the needed arc.
    EXPECT_FALSE(RayCover(scan(203.5, 200)).missing());
    // The field of view of a detector that is hardly offset ends at its nearer edge.
    ScanGeometry hardlyOff = scan(300, 300);
    hardlyOff.detector.offsetMm[0] = 20;
    EXPECT_FALSE(RayCover(hardlyOff).missing());
    // A turn sees what is beyond it, unless views are left out.
    hardlyOff.cone().arcDeg = 360;
    EXPECT_FALSE(RayCover(hardlyOff).missing());
    EXPECT_TRUE(RayCover(hardlyOff).reachesToFartherEdge());
    std::vector<Index> leftOut;
    for (Index view = 100; view < 120; ++view)
        leftOut.push_back(view);
    const auto beyond = RayCover(hardlyOff, leftOut).missing();
    ASSERT_TRUE(beyond);
    EXPECT_TRUE(beyond->isSeenByOneSide);
    EXPECT_NEAR(beyond->missingDeg, 24, 1.3);
    // Half a turn of a beam whose axis is near the detector's edge shows half of the object.
    ScanGeometry half = scan(180, 90);
    half.trajectory = ParallelBeam{GantryAngles(half.cone())};
    half.detector.offsetMm[0] = 150;
    const auto missing = RayCover(half).missing();
    ASSERT_TRUE(missing);
    EXPECT_EQ(missing->missingDeg, 180);
    EXPECT_NEAR(missing->fromMm, 256 - 150, 7);
    EXPECT_EQ(describe(*missing).substr(0, 40), "rays that pass the rotation axis at 108 ");
    EXPECT_FALSE(RayCover(half).reachesToFartherEdge());
}

}  // namespace
}  // namespace gantry
