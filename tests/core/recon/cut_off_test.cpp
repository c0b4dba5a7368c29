#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/scan/inspect/find_extension.h"
#include "tests/support/body_scan.h"

namespace gantry {
namespace {

// The field of view of this detector has a radius of 17 mm at the axis.
ScanGeometry scanner(Index columns = 64) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 300;
    geometry.cone().sourceToDetectorMm = 450;
    geometry.cone().arcDeg = 360;
    geometry.cone().views = 180;
    geometry.detector = {.columns = columns, .rows = 24, .pitchMm = {0.8, 0.8}};
    return geometry;
}

// An elliptical cylinder of 0.02 /mm with two inserts, far higher than the detector.
Phantom ellipse(double acrossMm, double depthMm) {
    const auto cylinder = [](Vec3 center, double a, double b, double value) {
        PhantomShape shape = {PhantomShape::Kind::cylinder, center, {a, b, 100}};
        shape.value = value;
        return shape;
    };
    return {"ellipse",
            {cylinder({0, 0, 0}, acrossMm, depthMm, 0.02), cylinder({4, 2, 0}, 2, 2, 0.01),
             cylinder({-5, 3, 0}, 2, 2, -0.01)}};
}

// Means of the slice through the middle in rings about the axis, inserts left out, 1/mm.
class CutOff : public testing::Test {
  protected:
    [[nodiscard]] RowExtension found(TruncationMethod method = TruncationMethod::automatic) {
        return findExtension(m_scan->open(), {.truncation = {method, 0}}, 2, {});
    }

    // out to `radiusMm`: the farthest that a ring's mean is from the truth, as a part of it
    [[nodiscard]] double worstWithin(double radiusMm, const RowExtension& extension) {
        constexpr Index kAcross = 70;
        const double pitch = 2 * radiusMm / kAcross;
        ReconstructionRequest request;
        request.volume = {{kAcross, kAcross, 1}, {pitch, pitch, 0.5}, {0, 0, 0}};
        request.threads = 2;
        const Backends all = test::backends();
        const OpenScan scan = withExtension(m_scan->open(), extension);
        std::vector<float> voxels(static_cast<std::size_t>(request.volume.count()));
        MemorySink sink({voxels.data(), 1, kAcross, kAcross});
        (void)reconstruct(scan, request, test::planned(scan, request, all), all, sink, {}, {});
        sink.finish();
        std::array<double, 10> sums{};
        std::array<double, 10> counts{};
        for (Index y = 0; y < kAcross; ++y)
            for (Index x = 0; x < kAcross; ++x) {
                const double xMm = (static_cast<double>(x) - (kAcross - 1) / 2.0) * pitch;
                const double yMm = (static_cast<double>(y) - (kAcross - 1) / 2.0) * pitch;
                if (std::hypot(xMm - 4, yMm - 2) < 3 || std::hypot(xMm + 5, yMm - 3) < 3) continue;
                const auto ring = static_cast<std::size_t>(std::hypot(xMm, yMm) / radiusMm * 10);
                if (ring >= 10) continue;
                sums[ring] += voxels[static_cast<std::size_t>(y * kAcross + x)];
                ++counts[ring];
            }
        double worst = 0;
        for (std::size_t ring = 0; ring < 10; ++ring)
            worst = std::max(worst, std::abs(sums[ring] / counts[ring] / 0.02 - 1));
        return worst;
    }

    std::optional<test::BodyScan> m_scan;
};

// The levels of an object that is cut to a part of its width, out to 0.93 of the field of view,
// where a rim of some percent begins. Without an extension even the middle is wrong.
TEST_F(CutOff, LevelsAreRightHoweverMuchIsCut) {
    struct Case {
        double acrossMm;
        double depthMm;
        double without;  // at least so wrong
    };
    constexpr Case kCases[] = {{24.3, 20, 0.4}, {34, 28, 0.8}, {57, 47, 2}};  // 70, 50 and 30 %
    for (const Case& cut : kCases) {
        m_scan.emplace(scanner(), ellipse(cut.acrossMm, cut.depthMm));
        const RowExtension extension = found();
        EXPECT_NEAR(extension.perColumn / (0.8 / 1.5), 0.02, 0.001) << cut.acrossMm;
        const double with = worstWithin(0.93 * 17, extension);
        const double without = worstWithin(0.93 * 17, {});
        EXPECT_LE(with, 0.05) << cut.acrossMm;
        EXPECT_GE(without, cut.without) << cut.acrossMm;
        // For the manual's table; --gtest_output=xml writes them.
        RecordProperty(fmt::format("percentOf{}Mm", cut.acrossMm),
                       fmt::format("{:.1f} with, {:.0f} without", 100 * with, 100 * without));
        EXPECT_TRUE(test::tells(m_scan->problems(), "left and right edges")) << cut.acrossMm;
    }
}

TEST_F(CutOff, AnObjectOnTheDetectorIsNotExtended) {
    m_scan.emplace(scanner(), ellipse(14, 11));
    EXPECT_FALSE(found().any());
    EXPECT_TRUE(found(TruncationMethod::waterCylinder).any());
    EXPECT_FALSE(found(TruncationMethod::none).any());
}

// An object that is too long for the detector in some views only.
TEST_F(CutOff, IsExtendedWhereOnlySomeViewsAreCut) {
    m_scan.emplace(scanner(), ellipse(26, 10));
    const RowExtension extension = found();
    EXPECT_TRUE(extension.before > 0 && extension.after > 0);
    EXPECT_LE(worstWithin(0.5 * 17, extension), 0.02);
}

// A half-fan scan is extended on its outer side alone.
TEST_F(CutOff, AnOffsetDetectorIsExtendedOutwards) {
    ScanGeometry geometry = scanner();
    geometry.detector.offsetMm = {18, 0};
    m_scan.emplace(geometry, ellipse(40, 36));
    const RowExtension extension = found();
    EXPECT_EQ(extension.before, 0);
    EXPECT_GT(extension.after, 10);
    EXPECT_LE(worstWithin(0.9 * 28, extension), 0.05);
}

// As soon as the axis is a column off, the farther side alone is extended.
TEST_F(CutOff, LevelsAreRightWhereTheAxisIsAlmostInTheMiddle) {
    for (const double offsetMm : {0.3, 0.5, 1.6, 2.4}) {
        SCOPED_TRACE(offsetMm);
        ScanGeometry geometry = scanner();
        geometry.detector.offsetMm = {offsetMm, 0};
        m_scan.emplace(geometry, ellipse(34, 28));
        const RowExtension extension = found();
        EXPECT_EQ(extension.before > 0, offsetMm < 0.4);
        EXPECT_GT(extension.after, 10);
        EXPECT_LE(worstWithin(0.93 * 17, extension), 0.05);
    }
}

TEST_F(CutOff, AShortScanAndParallelRaysAreExtended) {
    ScanGeometry geometry = scanner();
    geometry.cone().arcDeg = 205;
    m_scan.emplace(geometry, ellipse(30, 26));
    EXPECT_LE(worstWithin(0.9 * 17, found()), 0.05);

    ParallelBeam beam;
    beam.arcDeg = 180;
    beam.views = 90;
    geometry.trajectory = beam;
    geometry.detector.pitchMm = {0.55, 0.55};
    m_scan.emplace(geometry, ellipse(30, 26));
    EXPECT_LE(worstWithin(0.9 * 17.6, found()), 0.05);
}

// A volume that is wider than the field of view shows roughly what lies outside, and the same
// inside.
TEST_F(CutOff, AWiderFieldOfViewShowsAnEstimate) {
    m_scan.emplace(scanner(), ellipse(24.3, 20));
    const RowExtension extension = found();
    const RowExtension wide =
        findExtension(m_scan->open(), {.truncation = {.fieldOfViewMm = 52}}, 2, {});
    EXPECT_EQ(wide.before, extension.before);
    // 17 mm are 32 columns; at 26 mm the rays are 39 mm from the middle of the detector.
    EXPECT_NEAR(static_cast<double>(wide.shownBefore), 17, 1);
    EXPECT_EQ(wide.shownAfter, wide.shownBefore);
    EXPECT_LE(worstWithin(0.93 * 17, wide), 0.05);
    // The ellipse is at least as wide as 20 mm in all directions. Without it the levels there are
    // off by 28 %.
    EXPECT_LE(worstWithin(20, wide), 0.15);
    EXPECT_GE(worstWithin(20, extension), 0.25);
    EXPECT_TRUE(test::tells(m_scan->problems(), "left and right edges"));
}

TEST_F(CutOff, AWiderFieldOfViewOfAnOffsetDetectorReachesEquallyFar) {
    ScanGeometry geometry = scanner();
    geometry.detector.offsetMm = {18, 0};
    m_scan.emplace(geometry, ellipse(40, 36));
    const RowExtension wide =
        findExtension(m_scan->open(), {.truncation = {.fieldOfViewMm = 72}}, 2, {});
    EXPECT_GT(wide.shownAfter, 5);
    EXPECT_EQ(wide.before, 0);
    EXPECT_LE(worstWithin(0.9 * 28, wide), 0.05);
    EXPECT_LE(worstWithin(35, wide), 0.25);
}

// What is added to rows makes no noise: a roll-off of half the width is right for one cut only.
TEST_F(CutOff, ARollOffIsBetterThanNothing) {
    m_scan.emplace(scanner(), ellipse(30, 26));
    const RowExtension extension = found(TruncationMethod::rollOff);
    EXPECT_EQ(extension, (RowExtension{32, 32, 0}));
    EXPECT_LE(worstWithin(0.9 * 17, extension), 0.3 * worstWithin(0.9 * 17, {}));
}

}  // namespace
}  // namespace gantry
