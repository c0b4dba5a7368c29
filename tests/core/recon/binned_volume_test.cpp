#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/geometry/pixel_block.h"
#include "tests/support/body_scan.h"

namespace gantry {
namespace {

// A detector whose columns and rows are no multiples of 2 or 3, off the axis.
ScanGeometry fineCone() {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 150;
    geometry.cone().sourceToDetectorMm = 240;
    geometry.cone().views = 90;
    geometry.detector = {
        .columns = 157, .rows = 107, .pitchMm = {0.6, 0.6}, .offsetMm = {2.1, 0.4}};
    return geometry;
}

ScanGeometry fineParallel() {
    ScanGeometry geometry = fineCone();
    geometry.trajectory =
        ParallelBeam{{.startDeg = 0, .arcDeg = 180, .views = 90, .anglesDeg = {}}};
    geometry.detector.pitchMm = {0.4, 0.4};
    geometry.detector.rollDeg = 2;
    return geometry;
}

ScanGeometry finePoses() {
    const ScanGeometry circle = fineCone();
    std::vector<ViewPose> poses;
    for (Index s = 0; s < circle.views(); ++s)
        poses.push_back(viewPose(circle, s));
    return geometryOfPoses(std::move(poses), circle.detector.columns, circle.detector.rows);
}

ScanGeometry fineTilted() {
    ScanGeometry geometry = fineCone();
    geometry.detector.rollDeg = 1.5;
    geometry.detector.tiltDeg = 3;
    return geometry;
}

double largestDifference(const std::vector<float>& a, const std::vector<float>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, std::abs(static_cast<double>(a[i] - b[i])));
    return largest;
}

class BinnedScans : public testing::TestWithParam<ScanGeometry (*)()> {};

// A detector with larger pixels counts the photons of all smaller ones in them.
TEST_P(BinnedScans, OfCountsGiveTheVolumeOfADetectorWithLargerPixels) {
    const ScanGeometry fine = GetParam()();
    const ScanGeometry coarse = selected(fine, {.bin = 2});
    test::BodyScan scan(fine);
    scan.toCounts(test::evenFlat(fine));
    scan.correct({.pixels = {.bin = 2}});
    test::BodyScan larger(coarse, test::bodyAndBalls(), 2);
    larger.toCounts(test::evenFlat(coarse));
    EXPECT_LT(largestDifference(scan.volume(), larger.volume()), 2e-6);
    EXPECT_NEAR(scan.levels().body, 0.020, 0.0003);
}

// The mean of line integrals differs from the logarithm of the mean only at edges.
TEST_P(BinnedScans, OfAttenuationHaveTheSameLevels) {
    const ScanGeometry fine = GetParam()();
    test::BodyScan scan(fine);
    scan.correct({.pixels = {.bin = 3}});
    const test::BodyScan larger(selected(fine, {.bin = 3}), test::bodyAndBalls(), 3);
    EXPECT_NEAR(scan.levels().body, larger.levels().body, 2e-5);
    EXPECT_NEAR(scan.levels().bright, larger.levels().bright, 2e-4);
}

// What is cropped was not needed: rows far above and below the balls, and air beside the body. The
// axis is elsewhere on the part, so that rays have other weights, of the same sum: levels stay
// within 0.1 %.
TEST_P(BinnedScans, CroppedToTheBodyHaveTheSameLevels) {
    const ScanGeometry whole = GetParam()();
    test::BodyScan scan(whole);
    scan.toCounts(test::evenFlat(whole));
    const test::BodyLevels expected = scan.levels();
    scan.correct({.pixels = {.crop = {6, 5, 155, 101}}});
    const test::BodyLevels levels = scan.levels();
    EXPECT_NEAR(levels.body, expected.body, 2e-5);
    EXPECT_NEAR(levels.ball, expected.ball, 4e-5);
    EXPECT_NEAR(levels.hole, expected.hole, 2e-5);
    EXPECT_NEAR(levels.bright, expected.bright, 5e-5);
}

INSTANTIATE_TEST_SUITE_P(Geometries, BinnedScans,
                         testing::Values(fineCone, fineParallel, finePoses, fineTilted));

}  // namespace
}  // namespace gantry
