#include "core/calibrate/fit/circle_bundle.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>
#include <random>

namespace gantry {
namespace {

ScanGeometry trueCircle() {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 312;
    geometry.cone().sourceToDetectorMm = 774;
    geometry.cone().sourceOffsetMm = {1.5, -4};
    geometry.cone().views = 41;
    geometry.cone().arcDeg = -360;
    geometry.detector = {.columns = 401,
                         .rows = 333,
                         .pitchMm = {0.4, 0.55},
                         .offsetMm = {-5, 8},
                         .rollDeg = -1.2,
                         .tiltDeg = 0.9,
                         .slantDeg = -1.6};
    return geometry;
}

Balls trueBalls() {
    Balls balls;
    for (int i = 0; i < 11; ++i)
        balls.centersMm.push_back(
            {20 * std::cos(0.9 * i) + 2, 20 * std::sin(0.9 * i) - 1, 4.5 * (i - 5)});
    balls.radiiMm.assign(11, 2);
    return balls;
}

std::vector<Sighting> sightingsOf(double noisePx, double outliers) {
    std::mt19937 random(7);
    std::normal_distribution<double> noise;
    std::uniform_real_distribution<double> share(0, 1);
    std::vector<Sighting> sightings;
    const std::vector<ViewOptics> optics = opticsOf(trueCircle());
    const Balls balls = trueBalls();
    for (Index s = 0; s < std::ssize(optics); ++s)
        for (std::size_t b = 0; b < balls.centersMm.size(); ++b) {
            const ViewOptics& view = optics[static_cast<std::size_t>(s)];
            const SeenAt seen = seenAt(view, balls.centersMm[b], 2);
            Sighting sighting = {s,
                                 b,
                                 seen.u + noisePx * noise(random),
                                 seen.v + noisePx * noise(random),
                                 2 * view.distanceMm / seen.depthMm,
                                 0};
            if (share(random) < outliers) sighting.u += 7;
            sightings.push_back(sighting);
        }
    return sightings;
}

CircleBundle start(const std::vector<Sighting>& sightings) {
    CircleBundle bundle;
    bundle.geometry = trueCircle();
    bundle.geometry.cone().sourceToDetectorMm = 750;
    bundle.geometry.detector.offsetMm = {0, 0};
    bundle.geometry.detector.rollDeg = bundle.geometry.detector.tiltDeg =
        bundle.geometry.detector.slantDeg = 0;
    bundle.balls = triangulated(opticsOf(bundle.geometry), sightings, 11);
    bundle.isFree.fill(true);
    bundle.isFree.back() = false;
    return bundle;
}

TEST(CircleBundle, ExactSightingsGiveTheTruth) {
    const std::vector<Sighting> sightings = sightingsOf(0, 0);
    CircleBundle bundle = start(sightings);
    const BundleFit fit = fitBundle(bundle, sightings, {});
    EXPECT_LT(fit.rmsPx, 1e-4);  // what the balls' measured radii leave of the centroids' shift
    ScanGeometry truth = trueCircle();
    for (const CircleNumber& number : circleNumbers())
        EXPECT_NEAR(number.of(bundle.geometry), number.of(truth), 2e-3) << number.name;
    for (std::size_t b = 0; b < 11; ++b)
        EXPECT_LT(length(bundle.balls.centersMm[b] - trueBalls().centersMm[b]), 1e-3) << b;
}

TEST(CircleBundle, OutliersAreNotBelieved) {
    const std::vector<Sighting> sightings = sightingsOf(0.05, 0.08);
    CircleBundle bundle = start(sightings);
    const BundleFit fit = fitBundle(bundle, sightings, {});
    EXPECT_NEAR(fit.rmsPx, 0.05 * std::sqrt(2.0), 0.01);
    ScanGeometry truth = trueCircle();
    for (std::size_t i = 0; i + 1 < kCircleNumbers; ++i) {
        const CircleNumber& number = circleNumbers()[i];
        EXPECT_GT(fit.deviations[i], 0);
        EXPECT_NEAR(number.of(bundle.geometry), number.of(truth), 4 * fit.deviations[i])
            << number.name;
    }
    Index left = 0;
    for (const bool isUsed : fit.isUsed)
        left += isUsed ? 0 : 1;
    EXPECT_NEAR(static_cast<double>(left), 0.08 * 451, 12);  // two deviations of such a count
}

TEST(CircleBundle, RigidBallsTellTheScale) {
    const std::vector<Sighting> sightings = sightingsOf(0.05, 0);
    CircleBundle bundle = start(sightings);
    bundle.geometry.cone().sourceToIsocenterMm = 320;
    bundle.balls = trueBalls();
    const double c = std::cos(0.1), d = std::sin(0.1);
    for (Vec3& center : bundle.balls.centersMm)  // turned and moved
        center = Vec3{c * center.x - d * center.y, d * center.x + c * center.y, center.z} +
                 Vec3{1, -2, 3};
    const double before = length(bundle.balls.centersMm[9] - bundle.balls.centersMm[1]);
    bundle.isRigid = true;
    bundle.isFree.fill(true);
    const BundleFit fit = fitBundle(bundle, sightings, {});
    EXPECT_NEAR(length(bundle.balls.centersMm[9] - bundle.balls.centersMm[1]), before, 1e-9);
    EXPECT_NEAR(bundle.geometry.cone().sourceToIsocenterMm, 312,
                4 * fit.deviations[kCircleNumbers - 1]);
    EXPECT_LT(fit.deviations[kCircleNumbers - 1], 0.3);  // a thousandth
}

TEST(CircleBundle, TheAxisIsSeenWhereItIs) {
    const ScanGeometry geometry = trueCircle();
    const auto [u, v] = axisSeenAt(geometry);
    for (const Index s : {0, 13}) {
        const auto p = projectionMatrix(viewPose(geometry, s), geometry.detector).project(0, 0, -4);
        EXPECT_NEAR(p.u, u, 1e-9);
        EXPECT_NEAR(p.v, v, 1e-9);
    }
}

// The same numbers as one large system gives.
TEST(SplitFit, IsTheWholeSystemSolved) {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    constexpr std::size_t kNumbers = 3, kBalls = 2, kAll = kNumbers + 3 * kBalls;
    constexpr int kRows = 60;
    SplitFit split(kNumbers, kBalls);
    using Whole = Eigen::Matrix<double, Eigen::Dynamic, kAll>;
    Whole rows = Whole::Zero(kRows, kAll);
    Eigen::VectorXd residuals(kRows);
    for (int i = 0; i < kRows; ++i) {
        const std::size_t ball = static_cast<std::size_t>(i) % kBalls;
        std::array<double, kNumbers> ofNumbers{};
        std::array<double, 3> ofBall{};
        for (std::size_t k = 0; k < kNumbers; ++k)
            rows(i, k) = ofNumbers[k] = normal(random);
        for (std::size_t k = 0; k < 3; ++k)
            rows(i, kNumbers + 3 * ball + k) = ofBall[k] = normal(random);
        residuals[i] = normal(random);
        const double weight = 0.5 + (i % 3);
        split.add(ofNumbers, ball, ofBall, residuals[i], weight);
        rows.row(i) *= std::sqrt(weight);
        residuals[i] *= std::sqrt(weight);
    }
    const auto step = split.solve(0);
    ASSERT_TRUE(step);
    const Eigen::VectorXd expected = rows.colPivHouseholderQr().solve(-residuals);
    for (std::size_t k = 0; k < kNumbers; ++k)
        EXPECT_NEAR(step->numbers[k], expected[k], 1e-12);
    for (std::size_t b = 0; b < kBalls; ++b)
        for (std::size_t k = 0; k < 3; ++k)
            EXPECT_NEAR(step->balls[b][k], expected[kNumbers + 3 * b + k], 1e-12);

    const Eigen::MatrixXd covariance = (rows.transpose() * rows).inverse();
    using Slopes = Eigen::Matrix<double, kAll, 1>;
    const auto varianceBy = [&](const Slopes& slopes) { return slopes.dot(covariance * slopes); };
    for (std::size_t k = 0; k < kNumbers; ++k) {
        std::vector<double> ofNumbers(k + 1, 0.5);
        Slopes slopes = Slopes::Zero();
        slopes.head(k + 1).setConstant(0.5);
        EXPECT_NEAR(split.varianceOf({ofNumbers, {}}), varianceBy(slopes), 1e-12);
    }
    EXPECT_NEAR(split.varianceOf({{}, {{1, 2, -1}, {0, 3, 0.5}}}),
                varianceBy(Slopes{{0, 0, 0, 1, 2, -1, 0, 3, 0.5}}), 1e-12);
    EXPECT_NEAR(split.varianceOf({{2, 0, -1}, {{1, 2, -1}}}),
                varianceBy(Slopes{{2, 0, -1, 1, 2, -1, 0, 0, 0}}), 1e-12);
}

TEST(SplitFit, WhatNoResidualDependsOnIsUnknown) {
    SplitFit split(2, 0);
    split.add(std::vector<double>{1, 0}, 0, {}, 3, 1);
    EXPECT_FALSE(split.solve(1e-3));
    EXPECT_TRUE(std::isinf(split.varianceOf({{0, 1}, {}})));
}

}  // namespace
}  // namespace gantry
