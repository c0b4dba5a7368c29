#include "core/verify/cylinder_measures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/core/verify/made_volumes.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

constexpr double kSigmaMm = 0.9;

VolumeGrid oddGrid() {
    return {{131, 127, 17}, {0.7, 0.7, 1.1}, {3, -2, 10}};
}

// Off the middle, and its axis leans a little.
double leaningCylinder(Vec3 p) {
    const double r = std::hypot(p.x - 4.3 - 0.02 * p.z, p.y + 3.1);
    return 0.001 + 0.02 * test::softEdge(r - 28, kSigmaMm);
}

TEST(CylinderMeasures, TheMtfOfAKnownBlurIsFound) {
    const CylinderMeasures found = measureCylinder(test::volumeOf(oddGrid(), leaningCylinder));
    EXPECT_NEAR(found.radiusMm, 28, 0.01);
    EXPECT_NEAR(found.centerMm.x, 4.3 + 0.02 * found.centerMm.z, 0.01);
    EXPECT_NEAR(found.centerMm.y, -3.1, 0.01);
    EXPECT_NEAR(found.attenuation, 0.021, 1e-6);
    EXPECT_NEAR(found.background, 0.001, 1e-6);
    ASSERT_EQ(found.mtf.front().value, 1);
    for (const MtfPoint& point : found.mtf) {
        if (point.perMm > 1) break;  // far beyond the grid's Nyquist frequency of 0.71
        const double exact = std::exp(-2 * std::pow(kPi * kSigmaMm * point.perMm, 2));
        // Bins hold a few voxels each, whose places differ.
        EXPECT_NEAR(point.value, exact, 0.005) << point.perMm;
    }
    const auto exactAt = [](double value) {
        return std::sqrt(-std::log(value) / 2) / (kPi * kSigmaMm);
    };
    EXPECT_NEAR(found.mtf50PerMm / exactAt(0.5), 1, 0.01);
    EXPECT_NEAR(found.mtf10PerMm / exactAt(0.1), 1, 0.01);
}

TEST(CylinderMeasures, NoiseWithoutMemoryFallsWithTheSideOfTheTile) {
    std::mt19937 random(5);
    std::normal_distribution<double> noise(0, 0.001);
    const CylinderMeasures found = measureCylinder(
        test::volumeOf(oddGrid(), [&](Vec3 p) { return leaningCylinder(p) + noise(random); }));
    EXPECT_NEAR(found.noise, 0.001, 2e-5);
    ASSERT_GE(found.cdf.size(), 5U);
    for (const CdfPoint& point : found.cdf) {
        const auto side = static_cast<double>(point.voxels);
        EXPECT_NEAR(point.widthMm, 0.7 * side, 1e-9);
        // With the fewest tiles, 16 in each of five slices, to about 8 % (one sigma).
        EXPECT_NEAR(point.percent * side / (100 * 0.001 / 0.021), 1, 0.25) << side;
    }
    // The rim's noise stays outside of what the MTF's figures go by.
    EXPECT_NEAR(found.mtf50PerMm / (std::sqrt(-std::log(0.5) / 2) / (kPi * kSigmaMm)), 1, 0.03);
}

TEST(CylinderMeasures, WhatIsNoCylinderIsRefused) {
    const Volume empty = test::volumeOf(oddGrid(), [](Vec3) { return 0.01; });
    EXPECT_ERROR((void)measureCylinder(empty), InputError, "one value");
    const Volume none = test::volumeOf(oddGrid(), [](Vec3) { return std::nan(""); });
    EXPECT_ERROR((void)measureCylinder(none), InputError, "no numbers");
    const auto rod = [](double radius) {
        return test::volumeOf(oddGrid(), [radius](Vec3 p) {
            return test::softEdge(std::hypot(p.x - 3, p.y + 2) - radius, 0.5);
        });
    };
    EXPECT_ERROR((void)measureCylinder(rod(4)), InputError, "at least 8");
    EXPECT_ERROR((void)measureCylinder(rod(43)), InputError, "margin");
}

TEST(CylinderMeasures, ACurveThatStaysAboveAValueHasNoFrequencyThere) {
    EXPECT_EQ(frequencyAt({{0, 1}, {1, 0.6}, {2, 0.3}}, 0.1), 0);
    EXPECT_NEAR(frequencyAt({{0, 1}, {1, 0.6}, {2, 0.4}}, 0.5), 1.5, 1e-12);
}

}  // namespace
}  // namespace gantry
