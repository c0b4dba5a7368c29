#include "core/calibrate/balls/ball_length.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/expect_error.h"

namespace gantry {
namespace {

// Two rings, the upper one turned, and balls between them.
Balls rings() {
    Balls balls;
    for (const double z : {31.0, -20.0})
        for (int i = 0; i < 5; ++i)
            balls.centersMm.push_back({25 * std::cos(1.2566 * i + 0.2),
                                       25 * std::sin(1.2566 * i + 0.2), z + 0.1 * (i % 2)});
    balls.centersMm.push_back({3, 4, 6});
    balls.radiiMm.assign(balls.centersMm.size(), 1.25);
    return balls;
}

Balls inOrder(const Balls& balls) {
    Balls ordered;
    for (const std::size_t i : countingOrder(balls.centersMm)) {
        ordered.centersMm.push_back(balls.centersMm[i]);
        ordered.radiiMm.push_back(balls.radiiMm[i]);
    }
    return ordered;
}

TEST(BallLength, BallsAreCountedUpwardsAndRoundTheAxis) {
    EXPECT_EQ(countingOrder(rings().centersMm),
              (std::vector<std::size_t>{5, 6, 7, 8, 9, 10, 0, 1, 2, 3, 4}));
}

TEST(BallLength, TheSlopesAreThoseOfTheLength) {
    const Balls balls = inOrder(rings());
    for (const KnownLength& length : {KnownLength{KnownLength::Kind::betweenBalls, 1, {2, 6}},
                                      KnownLength{KnownLength::Kind::betweenRings, 1, {0, 0}}}) {
        const MeasuredLength measured = measureLength(length, balls);
        for (std::size_t b = 0; b < balls.centersMm.size(); ++b) {
            Balls moved = balls;
            moved.centersMm[b] = moved.centersMm[b] + Vec3{1e-4, -2e-4, 3e-4};
            const auto& s = measured.slopes[b];
            // Second order: (4e-4)² over lengths of some 30 mm.
            EXPECT_NEAR(measureLength(length, moved).mm - measured.mm,
                        1e-4 * s[0] - 2e-4 * s[1] + 3e-4 * s[2], 1e-8);
        }
    }
}

TEST(BallLength, RingsAndDiameters) {
    const Balls balls = inOrder(rings());
    EXPECT_NEAR(measureLength({KnownLength::Kind::betweenRings, 1, {0, 0}}, balls).mm, 51, 1e-9);
    EXPECT_NEAR(measureLength({KnownLength::Kind::diameter, 1, {0, 0}}, balls).mm, 2.5, 1e-9);
    EXPECT_ERROR((void)measureLength({KnownLength::Kind::betweenBalls, 1, {1, 12}}, balls),
                 InputError, "There is no ball 12: 11 were found");
    EXPECT_ERROR((void)measureLength({KnownLength::Kind::betweenBalls, 1, {4, 4}}, balls),
                 InputError, "from ball 4 to itself");
    Balls helix;
    for (int i = 0; i < 9; ++i)
        helix.centersMm.push_back({std::cos(1.0 * i), std::sin(1.0 * i), 4.0 * i});
    EXPECT_ERROR((void)measureLength({KnownLength::Kind::betweenRings, 1, {0, 0}}, helix),
                 InputError, "The balls are no rings");
}

TEST(BallLength, ADiametersErrorIsAPercentAndWhatTheBallsScatter) {
    const KnownLength diameter = {KnownLength::Kind::diameter, 1, {0, 0}};
    Balls balls = inOrder(rings());
    EXPECT_NEAR(measureLength(diameter, balls).relativeError, 0.01, 1e-12) << "all are alike";
    // Eleven balls, of which five are 20 % larger and five 20 % smaller: the error of their mean.
    for (std::size_t i = 0; i < balls.radiiMm.size(); ++i)
        balls.radiiMm[i] *= i == 0 ? 1 : i % 2 == 0 ? 1.2 : 0.8;
    const double ofMean = std::sqrt(10 * 0.2 * 0.2 / (11 * 10));
    EXPECT_NEAR(measureLength(diameter, balls).mm, 2.5, 1e-9);
    EXPECT_NEAR(measureLength(diameter, balls).relativeError, std::hypot(0.01, ofMean), 1e-9);
    // A single ball tells nothing of its scatter.
    balls.radiiMm.resize(1);
    EXPECT_NEAR(measureLength(diameter, balls).relativeError, 0.01, 1e-12);
}

}  // namespace
}  // namespace gantry
