#include "core/filter/redundancy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "tests/support/expect_error.h"

namespace gantry {
namespace {

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

TEST(Redundancy, SaysWhatKindOfScanItIs) {
    EXPECT_EQ(planRedundancy(scan(360, 90)).kind, Redundancy::fullCircle);
    EXPECT_EQ(planRedundancy(scan(400, 90)).kind, Redundancy::fullCircle);
    EXPECT_EQ(planRedundancy(scan(-240, 90)).kind, Redundancy::shortScan);
    const RedundancyPlan plan = planRedundancy(scan(240, 240));
    EXPECT_NEAR(plan.fanAngleDeg, 2 * degrees(std::atan(256.0 / 1200)), 1e-9);
    EXPECT_NEAR(plan.neededArcDeg, 180 + plan.fanAngleDeg, 1e-9);
    EXPECT_NE(plan.reason.find("short scan: the arc of 240°"), std::string::npos);
    ScanGeometry half = scan(180, 90);
    half.trajectory = ParallelBeam{GantryAngles(half.cone())};
    EXPECT_EQ(planRedundancy(half).kind, Redundancy::halfCircle);
    EXPECT_EQ(planRedundancy(half).fanAngleDeg, 0);
}

TEST(Redundancy, RefusesAnArcThatShowsNoDepth) {
    ScanGeometry listed = scan(0, 3);
    listed.cone().anglesDeg = {0, 1, 2};
    EXPECT_ERROR((void)planRedundancy(listed), InputError,
                 "trajectory.anglesDeg: an arc of 3° shows the object from one side alone; at "
                 "least 10° are needed");
    EXPECT_ERROR((void)planRedundancy(scan(8, 20)), InputError, "trajectory.arcDeg");
    EXPECT_ERROR((void)planRedundancy(scan(radians(360), 90)), InputError,
                 "6.283 radians would be 360°, and these are degrees");
    // Limited angles come out streaked; validate() warns of them.
    EXPECT_EQ(planRedundancy(scan(60, 60)).kind, Redundancy::shortScan);
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
    const AlignedDetector detector = alignedDetector(geometry);
    for (const Index s : {0, 1, 90, 179, 180})
        for (const double u : {10.0, 295.6, 400.0, 580.0})
            EXPECT_NEAR(plan.cover.viewWeight(geometry.angleDeg(s), rayAcross(detector, u)), 1,
                        1e-3);
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

TEST(Redundancy, HalfATurnThatLacksRaysIsNotSaidToMeasureAll) {
    ScanGeometry half = scan(180, 90);
    half.trajectory = ParallelBeam{GantryAngles(half.cone())};
    EXPECT_NE(planRedundancy(half).reason.find("every ray is measured once"), std::string::npos);
    std::vector<Index> leftOut(30);
    std::iota(leftOut.begin(), leftOut.end(), Index{60});
    EXPECT_EQ(planRedundancy(half, leftOut).reason.substr(0, 48),
              "parallel rays over 120°, less than half a turn:");
    half.detector.offsetMm[0] = 150;
    EXPECT_EQ(planRedundancy(half).reason.substr(0, 57),
              "half a turn of parallel rays: none is measured twice; but");
}

// The nearer edge cuts what the other side of the turn sees, so that nothing is to be estimated
// there, however little the axis is off.
TEST(Redundancy, ATurnCompletesWhatTheNearerEdgeCuts) {
    for (const double part : {0.01, 0.03, 0.049, 0.051}) {
        SCOPED_TRACE(part);
        ScanGeometry geometry = scan(360, 90);
        geometry.detector.offsetMm[0] = part * 128 * 4;
        const RedundancyPlan plan = planRedundancy(geometry, {}, {20, 20, 0.01});
        EXPECT_EQ(plan.kind, Redundancy::offsetDetector);
        EXPECT_TRUE(plan.isCompletedBefore());
        EXPECT_FALSE(plan.isCompletedAfter());
        EXPECT_EQ(plan.extension.before, 0);
        EXPECT_EQ(plan.extension.after, 20);
        EXPECT_EQ(plan.reason.find("one half"), std::string::npos) << plan.reason;
        geometry.detector.offsetMm[0] = -part * 128 * 4;
        EXPECT_TRUE(planRedundancy(geometry).isCompletedAfter());
        // An open arc completes nothing.
        geometry.cone().arcDeg = 230;
        if (part < 0.05) {
            EXPECT_EQ(planRedundancy(geometry).kind, Redundancy::shortScan);
        }
    }
    ScanGeometry hardly = scan(360, 90);
    EXPECT_NE(planRedundancy(hardly).reason.find("each weighs one half"), std::string::npos);
    hardly.detector.offsetMm[0] = 0.4 * 4;
    const RedundancyPlan plan = planRedundancy(hardly);
    EXPECT_EQ(plan.kind, Redundancy::fullCircle);
    EXPECT_NE(plan.reason.find("each weighs about one half"), std::string::npos) << plan.reason;
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
        const AlignedDetector detector = alignedDetector(geometry);
        EXPECT_NEAR(plan.cover.weightAt(0, rayAcross(detector, shortEdge)), 0, 1e-9);
        EXPECT_NEAR(plan.cover.weightAt(0, rayAcross(detector, longEdge)), 1, 1e-12);
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
