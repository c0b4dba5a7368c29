#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "core/scan/inspect/find_extension.h"
#include "tests/support/body_scan.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_values.h"

// Objects of one material without any detail, on detectors of real sizes: whether they go on beyond
// the edges can be told from how their line integrals rise alone.
namespace gantry {
namespace {

// The radius of the field of view at the axis, on any number of columns.
constexpr double kFieldMm = 17;

ScanGeometry scannerWith(Index columns) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 300;
    geometry.cone().sourceToDetectorMm = 450;
    geometry.cone().arcDeg = 360;
    geometry.cone().views = 24;
    const double pitchMm = 51.2 / static_cast<double>(columns);
    // Few rows save time; so few that the noise of a strip matters are another thing.
    const Index rows = std::max<Index>(8, 3000 / columns);
    geometry.detector = {.columns = columns, .rows = rows, .pitchMm = {pitchMm, pitchMm}};
    return geometry;
}

// A cylinder far higher than the detector, with this line integral across its middle.
Phantom longCylinder(double radiusMm, double darkest) {
    PhantomShape shape = {PhantomShape::Kind::cylinder, {}, {radiusMm, radiusMm, 500}};
    shape.value = darkest / (2 * radiusMm);
    return {"cylinder", {shape}};
}

// The scan of an object in a beam that lacks this line integral everywhere, with noise.
test::BodyScan seenBy(const ScanGeometry& geometry, const Phantom& object, double beam = 0) {
    test::BodyScan scan(geometry, object);
    std::mt19937 random(5);
    test::NormalValues<float> noise(0.005F);
    const Span3<float> views = scan.views();
    for (Index i = 0; i < views.count(); ++i)
        views.data()[i] += static_cast<float>(beam) + noise(random);
    return scan;
}

RowExtension extensionFor(const test::BodyScan& scan) {
    return findExtension(scan.open(), {}, 2, {});
}

TEST(WideObject, IsToldAndExtendedOnDetectorsOfAnySize) {
    for (const Index columns : {64, 512, 1024, 2048, 4096})
        for (const double fields : {2.0, 2.5, 3.0, 4.0, 6.0})
            for (const double darkest : {0.5, 2.3}) {
                SCOPED_TRACE(
                    fmt::format("{} columns, {} fields of view, {}", columns, fields, darkest));
                const test::BodyScan scan =
                    seenBy(scannerWith(columns), longCylinder(fields * kFieldMm, darkest));
                const std::vector<std::string> problems = scan.problems();
                EXPECT_TRUE(tells(problems,
                                  "the object reaches the left and right edges of the "
                                  "detector in 24 of the 24 views"))
                    << joined(problems);
                EXPECT_FALSE(tells(problems, "beam")) << joined(problems);
                const RowExtension extension = extensionFor(scan);
                EXPECT_GE(extension.before, columns / 4);
                EXPECT_GE(extension.after, columns / 4);
            }
}

TEST(WideObject, IsToldAboveAndBelowToo) {
    const test::BodyScan scan = seenBy(scannerWith(1024), longCylinder(6 * kFieldMm, 0.5));
    EXPECT_TRUE(tells(scan.problems(), "goes on above and below the detector in 24 of the 24"))
        << joined(scan.problems());
}

// An offset detector cuts it on its outer side alone; a short scan and parallel rays on both.
TEST(WideObject, IsToldOfOtherScans) {
    ScanGeometry geometry = scannerWith(1024);
    geometry.detector.offsetMm[0] = 18;
    const Phantom object = longCylinder(4 * kFieldMm, 0.5);
    const std::vector<std::string> offset = seenBy(geometry, object).problems();
    EXPECT_TRUE(tells(offset, "reaches the right edge of the detector in 24")) << joined(offset);
    geometry.detector.offsetMm[0] = 0;
    geometry.angles().arcDeg = 210;
    const std::vector<std::string> shortScan = seenBy(geometry, object).problems();
    EXPECT_TRUE(tells(shortScan, "left and right edges of the detector in 24"))
        << joined(shortScan);
    geometry.angles().arcDeg = 180;
    geometry.trajectory = ParallelBeam{GantryAngles(geometry.cone())};
    const std::vector<std::string> beam = seenBy(geometry, object).problems();
    EXPECT_TRUE(tells(beam, "left and right edges of the detector in 24")) << joined(beam);
}

// A weaker beam is as even beside a small object, of whatever contrast.
TEST(WideObject, IsNoWeakerBeam) {
    for (const Index columns : {64, 1024, 4096})
        for (const double radiusMm : {2.0, 6.0, 14.0})
            for (const double darkest : {0.05, 0.5, 2.3}) {
                SCOPED_TRACE(fmt::format("{} columns, {} mm, {}", columns, radiusMm, darkest));
                const test::BodyScan scan =
                    seenBy(scannerWith(columns), longCylinder(radiusMm, darkest), 0.693);
                const std::vector<std::string> problems = scan.problems();
                EXPECT_FALSE(tells(problems, "reaches")) << joined(problems);
                // Much of the darkest place is then the beam's.
                if (darkest > 1) {
                    EXPECT_TRUE(tells(problems, "0.50 of the flat field")) << joined(problems);
                }
                EXPECT_FALSE(extensionFor(scan).any());
            }
}

TEST(WideObject, IsNoObjectThatIsSeenWhole) {
    for (const Index columns : {64, 1024, 4096})
        for (const double radiusMm : {6.0, 14.0, 15.0}) {
            SCOPED_TRACE(fmt::format("{} columns, {} mm", columns, radiusMm));
            const test::BodyScan scan = seenBy(scannerWith(columns), longCylinder(radiusMm, 0.5));
            EXPECT_FALSE(tells(scan.problems(), "reaches")) << joined(scan.problems());
            EXPECT_FALSE(extensionFor(scan).any());
        }
}

// Its own brightness is none of the beam's.
TEST(WideObject, IsNotTakenForTheAirThatTheBeamIsMeasuredBy) {
    for (const Index columns : {64, 1024})
        for (const double fields : {2.0, 6.0}) {
            SCOPED_TRACE(fmt::format("{} columns, {} fields of view", columns, fields));
            test::BodyScan scan =
                seenBy(scannerWith(columns), longCylinder(fields * kFieldMm, 0.5));
            scan.correct({.flux = {.method = FluxMethod::air}});
            EXPECT_ERROR((void)scan.problems(), InputError,
                         "no part of the detector shows only air in all views");
        }
    test::BodyScan scan = seenBy(scannerWith(1024), longCylinder(6, 0.5), 0.693);
    scan.correct({.flux = {.method = FluxMethod::air}});
    EXPECT_FALSE(tells(scan.problems(), "beam")) << joined(scan.problems());
}

// The attenuation by which rows are continued is the object's, as far as these reach: two widths of
// the detector on either side.
TEST(WideObject, IsContinuedByItsAttenuation) {
    const auto partOfTruth = [](double fields) {
        const test::BodyScan scan = seenBy(scannerWith(1024), longCylinder(fields * kFieldMm, 2.3));
        const double perMm = extensionFor(scan).perColumn / (51.2 / 1024 / 1.5);
        return perMm / (2.3 / (2 * fields * kFieldMm));
    };
    EXPECT_NEAR(partOfTruth(2), 1, 0.05);
    EXPECT_NEAR(partOfTruth(4), 1, 0.05);
    EXPECT_NEAR(partOfTruth(6), 1, 0.2);
}

}  // namespace
}  // namespace gantry
