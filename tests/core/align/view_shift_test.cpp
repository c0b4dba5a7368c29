#include "core/align/view_shift.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "tests/core/align/drifted_scan.h"

namespace gantry {
namespace {

using test::DriftedScan;

using PixelShift = std::array<double, 2>;

ViewPyramid pyramidOf(const DriftedScan& scan) {
    ViewStack stack;
    stack.pixels = test::driftedPixels(scan);
    for (Index s = 0; s < scan.geometry.views(); ++s)
        stack.views.push_back(s);
    stack.rows = scan.geometry.detector.rows;
    stack.columns = scan.geometry.detector.columns;
    return {std::move(stack), 2};
}

// Views at one angle with these shifts, and another one without.
void expectShifts(DriftedScan scan, const std::vector<PixelShift>& shifts, double tolerancePx) {
    DriftedScan still = scan;
    still.seed = 2;
    still.geometry = test::driftGeometry({40});
    scan.geometry = test::driftGeometry(std::vector<double>(shifts.size(), 40));
    scan.shift = [&](Index s) { return shifts[s]; };
    const ViewPyramid fixed = pyramidOf(still);
    const ViewPyramid moved = pyramidOf(scan);
    for (Index s = 0; s < std::ssize(shifts); ++s) {
        const ViewShift found = shiftBetween(moved, s, fixed, 0);
        for (const int axis : {0, 1}) {
            EXPECT_NEAR(found.px[axis], shifts[s][axis], tolerancePx) << s << " along " << axis;
            EXPECT_LT(found.uncertaintyPx[axis], tolerancePx) << s << " along " << axis;
        }
        EXPECT_GT(found.likeness, 0.9) << s;
    }
}

const std::vector<PixelShift> kShifts = {{0, 0},         {0.25, -0.4}, {-1.5, 3.3},
                                         {-7.61, -5.27}, {12.4, 9.9},  {19.7, -19.3}};
// What users are promised, on noisy views.
constexpr double kShiftPx = 0.05;

TEST(ViewShift, IsFoundToATwentiethOfAPixel) {
    expectShifts({}, kShifts, kShiftPx);
}

// Both views have it at the same pixels: here 2 % a pixel and 2 % a column, as much as a flat field
// that does not fit leaves behind, beside an object of at most 0.9.
TEST(ViewShift, AFixedPatternHardlyPullsItToZero) {
    DriftedScan scan;
    scan.pattern = 0.02;
    expectShifts(scan, kShifts, 2 * kShiftPx);
}

// The object fills the detector and leaves it on all sides.
TEST(ViewShift, EdgesOutOfTheViewDoNotMatter) {
    DriftedScan scan;
    for (PhantomShape& shape : scan.phantom.shapes) {
        shape.centerMm = 2.2 * shape.centerMm;
        for (double& mm : shape.halfAxesMm)
            mm *= 2.2;
        shape.value /= 2;
    }
    expectShifts(scan, kShifts, 2 * kShiftPx);
}

TEST(ViewShift, ABlankViewIsLikeNone) {
    DriftedScan scan;
    scan.geometry = test::driftGeometry({40, 40, 200});
    scan.blankView = 1;
    const ViewPyramid views = pyramidOf(scan);
    EXPECT_LT(shiftBetween(views, 0, views, 1).likeness, 0.3);
    EXPECT_LT(shiftBetween(views, 1, views, 0).likeness, 0.3);
}

// A rod along the rows says nothing of shifts along them.
TEST(ViewShift, OnlyTheAxisWithStructureIsCertain) {
    DriftedScan scan;
    PhantomShape rod;
    rod.kind = PhantomShape::Kind::cylinder;
    rod.halfAxesMm = {20, 25, 900};
    rod.centerMm = {6, -9, 0};
    rod.value = 0.01;
    scan.phantom = {"rod", {rod}};
    scan.geometry = test::driftGeometry({40, 40});
    scan.shift = [](Index s) { return s == 0 ? PixelShift{-4.3, 2} : PixelShift{0, 0}; };
    const ViewPyramid views = pyramidOf(scan);
    const ViewShift found = shiftBetween(views, 0, views, 1);
    EXPECT_NEAR(found.px[0], -4.3, kShiftPx);
    EXPECT_LT(found.uncertaintyPx[0], kShiftPx);
    EXPECT_GT(found.uncertaintyPx[1], 0.5);
}

}  // namespace
}  // namespace gantry
