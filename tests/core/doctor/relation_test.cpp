#include "core/doctor/interpretation.h"

#include <gtest/gtest.h>

#include "tests/core/doctor/stored_scan.h"

namespace gantry {
namespace {

using enum Convention;

std::optional<Relation> between(const ScanGeometry& geometry, const Interpretation& a,
                                const Interpretation& b) {
    constexpr double kTolerancePx = 0.25;
    return relationBetween(readAs(geometry, a), readAs(geometry, b), kTolerancePx);
}

ScanGeometry centredScan() {
    ScanGeometry geometry = test::obliqueScan();
    geometry.detector.offsetMm = {0, 0};
    return geometry;
}

TEST(Relation, AnotherStartTurnsTheVolume) {
    const auto found = between(test::obliqueScan(), {}, {{start}});
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->isMirrored || found->isUpsideDown);
    EXPECT_NEAR(std::abs(found->turnDeg), 180, 1e-6);
}

TEST(Relation, TheReverseOrderIsTheReverseDirectionFromTheLastView) {
    const ScanGeometry geometry = test::obliqueScan();
    const auto found = between(geometry, {{direction}}, {{order}});
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->isMirrored || found->isUpsideDown);
    EXPECT_NEAR(std::abs(found->turnDeg), 4, 1e-6);  // a step of 90 views
    EXPECT_FALSE(between(geometry, {}, {{order}}));
    // Not of steps that differ.
    ScanGeometry listed = geometry;
    for (Index s = 0; s < 90; ++s)
        listed.cone().anglesDeg.push_back(static_cast<double>(4 * s) + (s < 30 ? 0 : 1.5));
    EXPECT_FALSE(between(listed, {{direction}}, {{order}}));
}

// A step along v alone is not the same after a reflection at the mid-plane.
TEST(Relation, ImagesUpsideDownAreAMirrorUnlessTheDetectorIsOffset) {
    const auto found = between(centredScan(), {}, {{rows}});
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->isMirrored && found->isUpsideDown);
    EXPECT_FALSE(between(test::obliqueScan(), {}, {{rows}}));
    EXPECT_TRUE(between(test::obliqueScan(), {{detectorOffsetV}}, {{rows}}));
}

TEST(Relation, MirroredImagesOfAReverseRotationAreAMirrorImage) {
    const auto found = between(centredScan(), {}, {{direction, columns}});
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->isMirrored);
    EXPECT_FALSE(found->isUpsideDown);
    EXPECT_FALSE(between(centredScan(), {}, {{columns}}));
    EXPECT_FALSE(between(centredScan(), {}, {{direction}}));
    EXPECT_FALSE(between(test::obliqueScan(), {}, {{direction, columns}}));
    EXPECT_TRUE(between(test::obliqueScan(), {}, {{direction, columns, detectorOffsetU}}));
}

TEST(Relation, BothFlipsOfAReverseRotationTurnTheObjectOver) {
    const auto found = between(centredScan(), {}, {{direction, columns, rows}});
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->isMirrored);
    EXPECT_TRUE(found->isUpsideDown);
}

// Nearly parallel rays show neither how high the object is nor on which side of it they begin.
TEST(Relation, OfAFarSourceIsThatOfParallelRays) {
    ScanGeometry geometry = centredScan();
    geometry.cone().sourceToIsocenterMm = 1e6;
    geometry.cone().sourceToDetectorMm = 1e6 + 500;
    geometry.detector.offsetMm[1] = 3.5 * geometry.detector.pitchMm[1];
    const auto higher = between(geometry, {}, {{detectorOffsetV}});
    ASSERT_TRUE(higher);
    EXPECT_FALSE(higher->isMirrored || higher->isUpsideDown);
    EXPECT_NEAR(higher->turnDeg, 0, 1e-6);
    const auto reversed = between(geometry, {}, {{direction}});
    ASSERT_TRUE(reversed);
    EXPECT_TRUE(reversed->isMirrored);
    geometry.cone().sourceToIsocenterMm = 1000;
    geometry.cone().sourceToDetectorMm = 1500;
    EXPECT_FALSE(between(geometry, {}, {{detectorOffsetV}}));
    EXPECT_FALSE(between(geometry, {}, {{direction}}));
}

TEST(Relation, WhatIsLessThanTheToleranceIsTheSame) {
    ScanGeometry geometry = centredScan();
    geometry.detector.offsetMm[0] = 0.05 * geometry.detector.pitchMm[0];
    const auto found = between(geometry, {}, {{detectorOffsetU}});
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->isMirrored || found->isUpsideDown);
    EXPECT_NEAR(found->turnDeg, 0, 1e-6);
    geometry.detector.offsetMm[0] *= 10;
    EXPECT_FALSE(between(geometry, {}, {{detectorOffsetU}}));
}

}  // namespace
}  // namespace gantry
