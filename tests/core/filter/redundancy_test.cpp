#include "core/filter/redundancy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/support/expect_error.h"

namespace gantry {
namespace {

// Of the ray through a detector column in a view.
double weightOf(const RedundancyPlan& plan, const ScanGeometry& geometry, Index view, double u) {
    return redundancyWeightAt(plan, geometry.angleDeg(view),
                              rayAcross(alignedDetector(geometry), u));
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
double weightOfRay(const RedundancyPlan& plan, const ScanGeometry& geometry, double angleDeg,
                   double u) {
    // A view stands for half a step to either side of its angle.
    const double first = plan.firstDeg - plan.stepDeg / 2;
    const AlignedDetector detector = alignedDetector(geometry);
    const auto sumOverTurns = [&](double angle, double column) {
        double sum = 0;
        for (int turn = -10; turn <= 10; ++turn) {
            const double at = angle + 360 * turn;
            if (at >= first && at < first + plan.arcDeg)
                sum += redundancyWeightAt(plan, at, rayAcross(detector, column));
        }
        return sum;
    };
    const Conjugate other = conjugateOf(geometry, angleDeg, u);
    return sumOverTurns(angleDeg, u) + sumOverTurns(other.angleDeg, other.u);
}

// A parallel ray is measured again half a turn on, on the column mirrored about the axis.
TEST(Redundancy, WeightsOfAParallelRaySumToOne) {
    struct ParallelCase {
        double arcDeg;
        double offsetMm;
        Redundancy expected;
    };
    for (const ParallelCase& c : {ParallelCase{180, 3, Redundancy::halfCircle},
                                  {-180, 3, Redundancy::halfCircle},
                                  {181, 0, Redundancy::shortScan},
                                  {-225, 3, Redundancy::shortScan},
                                  {310, 0, Redundancy::shortScan},
                                  {360, 3, Redundancy::fullCircle},
                                  {-360, 90, Redundancy::offsetDetector},
                                  {360, -71, Redundancy::offsetDetector}}) {
        SCOPED_TRACE(c.arcDeg);
        SCOPED_TRACE(c.offsetMm);
        ScanGeometry geometry = scan(c.arcDeg, 200);
        const GantryAngles angles = geometry.cone();
        geometry.trajectory = ParallelBeam{angles};
        geometry.detector.offsetMm[0] = c.offsetMm;
        const RedundancyPlan plan = planRedundancy(geometry);
        ASSERT_EQ(plan.kind, c.expected) << plan.reason;
        EXPECT_EQ(plan.fanAngleDeg, 0);
        const AlignedDetector detector = alignedDetector(geometry);
        const double first = plan.firstDeg - plan.stepDeg / 2;
        for (int i = 0; i < 150; ++i) {
            const double angle = first + 1.2 * i + 0.1;
            for (double u = 0.3; u < 127; u += 9.1) {
                double sum = 0;
                for (int half = 0; angle + 180 * half < first + plan.arcDeg; ++half)
                    sum += redundancyWeightAt(plan, angle + 180 * half,
                                              (half % 2 == 0 ? 1 : -1) * rayAcross(detector, u));
                // Rounding alone: the two weights are sin² and cos² of one angle.
                EXPECT_NEAR(sum, 1, 1e-12) << angle << " " << u;
            }
        }
    }
}

struct Case {
    const char* name;
    double arcDeg;
    double detectorOffsetMm;
    double sourceOffsetMm;
    Redundancy expected;
};

class EveryRay : public testing::TestWithParam<Case> {};

TEST_P(EveryRay, WeighsOneInAll) {
    const Case& c = GetParam();
    ScanGeometry geometry = scan(c.arcDeg, 200);
    geometry.detector.offsetMm[0] = c.detectorOffsetMm;
    geometry.cone().sourceOffsetMm[0] = c.sourceOffsetMm;
    const RedundancyPlan plan = planRedundancy(geometry);
    ASSERT_EQ(plan.kind, c.expected) << plan.reason;
    EXPECT_FALSE(plan.reason.empty());
    std::mt19937 random(7);
    std::uniform_real_distribution<double> angle(0, std::min(std::abs(c.arcDeg), 360.0));
    // Rays that both sides see; of an offset detector also those that only one side sees.
    const bool offset = plan.kind == Redundancy::offsetDetector;
    const double shared = std::tan(radians(plan.fanAngleDeg / 2)) * 1200 / 4 * 0.98;
    const double axis = geometry.axisColumn();
    std::uniform_real_distribution<double> column(offset ? 0 : axis - shared,
                                                  offset ? 127 : axis + shared);
    for (int i = 0; i < 2000; ++i) {
        const double u = column(random);
        const double at = plan.firstDeg - plan.stepDeg / 2 + angle(random);
        // The bisection finds the conjugate to 1e-12 pixels; weights are smooth.
        EXPECT_NEAR(weightOfRay(plan, geometry, at, u), 1, 1e-9) << "angle " << at << ", u " << u;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Scans, EveryRay,
    testing::Values(Case{"Circle", 360, 0, 0, Redundancy::fullCircle},
                    Case{"ClockwiseCircle", -360, 0, 20, Redundancy::fullCircle},
                    Case{"TurnAndABit", 400, 0, 0, Redundancy::fullCircle},
                    Case{"ThreeTurnsAndMore", -1300, 0, 0, Redundancy::fullCircle},
                    Case{"TwoTurns", 720, 0, 0, Redundancy::fullCircle},
                    Case{"ShortScan", 240, 0, 0, Redundancy::shortScan},
                    Case{"ShortestScan", 204.2, 0, 0, Redundancy::shortScan},
                    Case{"ClockwiseShortScan", -240, 0, 0, Redundancy::shortScan},
                    Case{"LongShortScan", 350, 0, 0, Redundancy::shortScan},
                    Case{"ShortScanShiftedSource", 230, 0, 20, Redundancy::shortScan},
                    Case{"ShortScanShiftedDetector", -230, 60, 0, Redundancy::shortScan},
                    Case{"OffsetRight", 360, 120, 0, Redundancy::offsetDetector},
                    Case{"OffsetLeft", -360, -120, 15, Redundancy::offsetDetector},
                    Case{"OffsetTurnAndABit", 380, 200, 0, Redundancy::offsetDetector}),
    [](const auto& test) { return test.param.name; });

TEST(Redundancy, CircleWeighsOneHalf) {
    const ScanGeometry geometry = scan(360, 90);
    const RedundancyPlan plan = planRedundancy(geometry);
    EXPECT_EQ(weightOf(plan, geometry, 0, 0), 0.5);
    EXPECT_EQ(weightOf(plan, geometry, 89, 127), 0.5);
}

TEST(Redundancy, ATurnAndABitFadesInAndOut) {
    const ScanGeometry geometry = scan(400, 400);
    const RedundancyPlan plan = planRedundancy(geometry);
    ASSERT_EQ(plan.kind, Redundancy::fullCircle);
    // View s is at s + 1/2 degrees of ramps of 40°, of the one half that a ray weighs from one
    // side.
    const auto ramp = [](double x) { return std::pow(std::sin(kPi / 2 * x / 40), 2) / 2; };
    EXPECT_NEAR(weightOf(plan, geometry, 0, 50), ramp(0.5), 1e-12);
    EXPECT_NEAR(weightOf(plan, geometry, 10, 50), ramp(10.5), 1e-12);
    EXPECT_NEAR(weightOf(plan, geometry, 200, 50), 0.5, 1e-12);
    EXPECT_NEAR(weightOf(plan, geometry, 370, 50), ramp(29.5), 1e-12);
    EXPECT_NEAR(weightOf(plan, geometry, 399, 50), ramp(0.5), 1e-12);
}

TEST(Redundancy, ListedAnglesAreTakenAsTheyCome) {
    ScanGeometry geometry = scan(0, 240);
    for (Index s = 0; s < 240; ++s)
        geometry.cone().anglesDeg.push_back(100 - static_cast<double>(s));
    const RedundancyPlan plan = planRedundancy(geometry);
    EXPECT_EQ(plan.kind, Redundancy::shortScan);
    EXPECT_DOUBLE_EQ(plan.firstDeg, -139);
    EXPECT_NEAR(plan.arcDeg, 240, 1e-9);

    ScanGeometry regular = scan(-240, 240);
    regular.cone().startDeg = 100;
    const RedundancyPlan same = planRedundancy(regular);
    for (const Index s : {0, 3, 120, 237, 239})
        EXPECT_NEAR(weightOf(plan, geometry, s, 100), weightOf(same, regular, s, 100), 1e-9);
}

TEST(Redundancy, ShortScanFadesInAndOut) {
    const ScanGeometry geometry = scan(240, 240);
    const RedundancyPlan plan = planRedundancy(geometry);
    // Half a step into ramps of (60° ∓ ray angle): sin² of a hundredth of a quarter turn.
    EXPECT_LT(weightOf(plan, geometry, 0, 63.5), 1e-3);
    EXPECT_LT(weightOf(plan, geometry, 239, 63.5), 1e-3);
    EXPECT_EQ(weightOf(plan, geometry, 120, 63.5), 1);
    EXPECT_NEAR(plan.fanAngleDeg, 2 * degrees(std::atan(256.0 / 1200)), 1e-9);
    EXPECT_NEAR(plan.neededArcDeg, 180 + plan.fanAngleDeg, 1e-9);
}

TEST(Redundancy, RefusesAnArcTooShortAndSaysWhatItNeeds) {
    EXPECT_ERROR(
        (void)planRedundancy(scan(190, 190)), InputError,
        "trajectory.arcDeg: an arc of 190° is too short for the fan of 24.09°; it needs at "
        "least 204.085°");
    // One step less than needed is as good as the needed arc.
    EXPECT_EQ(planRedundancy(scan(203.5, 200)).kind, Redundancy::shortScan);

    ScanGeometry listed = scan(0, 3);
    listed.cone().anglesDeg = {0, 1, 2};
    EXPECT_ERROR((void)planRedundancy(listed), InputError, "trajectory.anglesDeg");
}

TEST(Redundancy, HalfTurnOfParallelRaysIsAShortScan) {
    // A synchrotron's half turn, end point left out, axis off the middle.
    ScanGeometry geometry = scan(180, 181);
    geometry.cone().sourceToIsocenterMm = 1e6;
    geometry.cone().sourceToDetectorMm = 1e6 + 10;
    geometry.detector = {
        .columns = 640, .rows = 2, .pitchMm = {0.01, 0.01}, .offsetMm = {0.239, 0}};
    const RedundancyPlan plan = planRedundancy(geometry);
    EXPECT_EQ(plan.kind, Redundancy::shortScan);
    EXPECT_EQ(plan.padBefore + plan.padAfter, 0);
    for (const Index s : {0, 1, 90, 179, 180})
        for (const double u : {0.0, 295.6, 400.0, 639.0})
            EXPECT_NEAR(weightOf(plan, geometry, s, u), 1, 1e-6);
}

TEST(Redundancy, AboutATiltedAxisNoRayIsSaidToBeMeasuredAgain) {
    ScanGeometry geometry = scan(360, 90);
    geometry.trajectory = ParallelBeam{GantryAngles(geometry.cone())};
    EXPECT_EQ(planRedundancy(geometry).neededArcDeg, 180);
    EXPECT_NE(planRedundancy(geometry).reason.find("from both sides"), std::string::npos);
    geometry.detector.tiltDeg = 30;
    for (const double arc : {360.0, 270.0, 180.0, 100.0}) {
        std::get<ParallelBeam>(geometry.trajectory).arcDeg = arc;
        const RedundancyPlan plan = planRedundancy(geometry);
        EXPECT_EQ(plan.neededArcDeg, 360);
        EXPECT_EQ(plan.reason.find("both sides"), std::string::npos) << plan.reason;
        EXPECT_EQ(plan.reason.find("twice"), std::string::npos) << plan.reason;
        EXPECT_EQ(plan.reason.find("missing") == std::string::npos, arc == 360) << plan.reason;
    }
}

TEST(Redundancy, SmallShiftsAreNoOffsetScan) {
    ScanGeometry geometry = scan(360, 90);
    geometry.detector.offsetMm[0] = 0.049 * 128 * 4;
    EXPECT_EQ(planRedundancy(geometry).kind, Redundancy::fullCircle);
    geometry.detector.offsetMm[0] = -0.051 * 128 * 4;
    EXPECT_EQ(planRedundancy(geometry).kind, Redundancy::offsetDetector);
}

TEST(Redundancy, OffsetDetectorIsPaddedToReachAsFarOnEitherSide) {
    for (const double offsetMm : {120.0, -120.0, 121.0, -170.3}) {
        ScanGeometry geometry = scan(360, 90);
        geometry.detector.offsetMm[0] = offsetMm;
        const RedundancyPlan plan = planRedundancy(geometry);
        const AlignedDetector padded = alignedViews(geometry, plan).detector;
        EXPECT_EQ(offsetMm > 0 ? plan.padAfter : plan.padBefore, 0);
        const double middle = (static_cast<double>(padded.columns) - 1) / 2;
        EXPECT_LE(std::abs(padded.axisColumn() - middle), 0.5);
        // Real columns stay where they are.
        for (const double u : {0.0, 63.0, 127.0})
            EXPECT_NEAR(rayAcross(padded, u + static_cast<double>(plan.padBefore)),
                        rayAcross(alignedDetector(geometry), u), 1e-12);
        const double shortEdge = offsetMm > 0 ? -0.5 : 127.5;
        const double longEdge = offsetMm > 0 ? 127 : 0;
        EXPECT_NEAR(weightOf(plan, geometry, 0, shortEdge), 0, 1e-9);
        EXPECT_EQ(weightOf(plan, geometry, 0, longEdge), 1);
    }
}

TEST(Redundancy, PaddingMovesEveryRowToItsPlace) {
    RedundancyPlan plan;
    for (const auto& [before, after] : {std::pair<Index, Index>{2, 0}, {0, 3}, {1, 1}, {0, 0}}) {
        plan.padBefore = before;
        plan.padAfter = after;
        const Index nU = 4 + before + after;
        std::vector<float> memory(static_cast<std::size_t>(2 * 3 * nU), -1);
        for (std::size_t i = 0; i < 24; ++i)
            memory[i] = static_cast<float>(i);
        const Span3<float> view(memory.data(), 2, 3, nU);
        padRowsInPlace(plan, view);
        for (Index s = 0; s < 2; ++s)
            for (Index v = 0; v < 3; ++v)
                for (Index u = 0; u < nU; ++u) {
                    const bool real = u >= before && u < before + 4;
                    const auto expected = static_cast<float>((s * 3 + v) * 4 + u - before);
                    EXPECT_EQ(view(s, v, u), real ? expected : 0);
                }
    }
}

TEST(Redundancy, RefusesADetectorThatMissesTheAxis) {
    ScanGeometry geometry = scan(360, 90);
    geometry.detector.offsetMm[0] = 300;
    EXPECT_ERROR(
        (void)planRedundancy(geometry), InputError,
        "detector.offsetMm[0]: the rotation axis falls outside the detector: with an offset of "
        "300 mm it is on column -11.5, and the columns are 0 to 127");
    // On the detector's very edge, no ray passes on the axis' other side.
    for (const double edgeMm : {256.0, -256.0}) {
        geometry.detector.offsetMm[0] = edgeMm;
        EXPECT_ERROR((void)planRedundancy(geometry), InputError,
                     "the rotation axis falls outside the detector");
    }
}

}  // namespace
}  // namespace gantry
