#include "core/calibrate/balls/ball_tracks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/geometry/views/projection_matrix.h"

namespace gantry {
namespace {

struct Turning {
    ScanGeometry geometry;
    std::vector<Vec3> balls;
    std::vector<double> anglesRad;
    BallImages images;
    std::vector<std::vector<std::size_t>> ballOf;  // [view][image]

    Turning(Index views, double arcDeg) {
        geometry.cone().sourceToIsocenterMm = 210;
        geometry.cone().sourceToDetectorMm = 590;
        geometry.cone().views = views;
        geometry.cone().arcDeg = arcDeg;
        geometry.detector = {.columns = 301,
                             .rows = 255,
                             .pitchMm = {0.7, 0.8},
                             .offsetMm = {7, -5},
                             .rollDeg = 2,
                             .tiltDeg = 3,
                             .slantDeg = -4};
        for (int i = 0; i < 9; ++i)
            balls.push_back({25 * std::cos(1.1 * i), 22 * std::sin(1.1 * i) + 3, 6.0 * (i - 4)});
    }

    // Two strangers a view, a tenth of the images lost, and those that lie on each other.
    void model(double noisePx) {
        std::mt19937 random(11);
        std::normal_distribution<double> noise(0, noisePx);
        std::uniform_real_distribution<double> share(0, 1);
        for (Index s = 0; s < geometry.views(); ++s) {
            anglesRad.push_back(radians(geometry.angleDeg(s)));
            const ProjectionMatrix matrix =
                projectionMatrix(viewPose(geometry, s), geometry.detector);
            std::vector<BallImage> view;
            std::vector<std::size_t> names;
            for (std::size_t b = 0; b < balls.size(); ++b) {
                const auto p = matrix.project(balls[b].x, balls[b].y, balls[b].z);
                if (share(random) < 0.1) continue;
                view.push_back({p.u + noise(random), p.v + noise(random), 1, 1});
                names.push_back(b);
            }
            for (int i = 0; i < 2; ++i) {
                view.push_back({300 * share(random), 254 * share(random), 1, 1});
                names.push_back(99);
            }
            images.push_back(view);
            ballOf.push_back(names);
        }
    }

    void expectFollowed(double minShare) const {
        const auto tracks =
            trackBalls(images, anglesRad, {geometry.detector.columns, geometry.detector.rows}, 2);
        EXPECT_EQ(tracks.size(), balls.size());
        std::vector<bool> isFound(balls.size());
        for (const BallTrack& track : tracks) {
            Index wrong = 0;
            std::vector<Index> votes(100);
            for (std::size_t s = 0; s < images.size(); ++s)
                if (track.images[s]) ++votes[ballOf[s][*track.images[s]]];
            const auto max = std::max_element(votes.begin(), votes.end()) - votes.begin();
            for (std::size_t i = 0; i < votes.size(); ++i)
                if (static_cast<Index>(i) != max) wrong += votes[i];
            ASSERT_LT(max, std::ssize(balls));
            isFound[static_cast<std::size_t>(max)] = true;
            EXPECT_LE(wrong, track.count / 20) << "where two cross within the tolerance";
            EXPECT_GE(static_cast<double>(track.count),
                      minShare * static_cast<double>(images.size()));
        }
        EXPECT_EQ(std::count(isFound.begin(), isFound.end(), true), std::ssize(balls));
    }
};

TEST(BallTracks, BallsAreFollowedOverGapsAndCrossings) {
    Turning turning(90, 360);
    turning.model(0.05);
    turning.expectFollowed(0.8);
}

TEST(BallTracks, ClockwiseOnAShortArcInCoarseSteps) {
    Turning turning(37, -200);
    turning.model(0.1);
    turning.expectFollowed(0.7);
}

TEST(BallTracks, ViewsOffTheirCircleAreFollowedToo) {
    Turning turning(80, 360);
    turning.model(0.5);
    turning.expectFollowed(0.7);
}

TEST(BallTracks, StrangersAloneAreNoTracks) {
    Turning turning(60, 360);
    turning.balls.clear();
    turning.model(0);
    EXPECT_TRUE(trackBalls(turning.images, turning.anglesRad, {301, 255}, 2).empty());
}

// Whatever the detector's angles: the orbit's image is exact.
TEST(BallTracks, TheOrbitsImageIsExact) {
    Turning turning(24, 360);
    const Vec3 ball = {14, 19, -21};
    std::vector<double> angles;
    std::vector<std::array<double, 2>> points;
    for (Index s = 0; s < 24; ++s) {
        const auto p = projectionMatrix(viewPose(turning.geometry, s), turning.geometry.detector)
                           .project(ball.x, ball.y, ball.z);
        angles.push_back(radians(turning.geometry.angleDeg(s)));
        points.push_back({p.u, p.v});
    }
    const auto orbit = OrbitImage::fit(angles, points, {301, 255});
    ASSERT_TRUE(orbit);
    for (std::size_t i = 0; i < points.size(); ++i) {
        // The weak pull of the denominator's terms towards 0 leaves some 10⁻⁵ of them.
        EXPECT_NEAR(orbit->at(angles[i])[0], points[i][0], 0.01);
        EXPECT_NEAR(orbit->at(angles[i])[1], points[i][1], 0.01);
    }
    EXPECT_FALSE(OrbitImage::fit({0, 1, 2}, {{1, 2}, {3, 4}, {5, 6}}, {301, 255}));
}

}  // namespace
}  // namespace gantry
