#include "core/calibrate/balls/find_balls.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/base/median.h"
#include "core/calibrate/balls/ball_model.h"
#include "core/phantom/analytic_projector.h"
#include "tests/support/random_values.h"

namespace gantry {
namespace {

// An image of chord lengths, every pixel the mean of 5 × 5 points.
struct Image {
    Index columns = 0;
    Index rows = 0;
    std::array<double, 2> pitchMm;
    std::vector<float> pixels;

    Image(Index nU, Index nV, std::array<double, 2> pitch)
        : columns(nU), rows(nV), pitchMm(pitch), pixels(static_cast<std::size_t>(nU * nV)) {}

    void add(double u, double v, double radiusMm, double top) {
        constexpr int kPoints = 5;
        for (Index y = 0; y < rows; ++y)
            for (Index x = 0; x < columns; ++x)
                for (int k = 0; k < kPoints * kPoints; ++k) {
                    const double du =
                        static_cast<double>(x) + (k % kPoints + 0.5) / kPoints - 0.5 - u;
                    const double dv =
                        static_cast<double>(y) + (k / kPoints + 0.5) / kPoints - 0.5 - v;
                    const double r = std::hypot(du * pitchMm[0], dv * pitchMm[1]) / radiusMm;
                    if (r < 1)
                        pixels[static_cast<std::size_t>(y * columns + x)] +=
                            static_cast<float>(top * std::sqrt(1 - r * r) / (kPoints * kPoints));
                }
    }
    void addNoise(double deviation) {
        std::mt19937 random(3);
        test::NormalValues<float> normal(static_cast<float>(deviation));
        for (float& p : pixels)
            p += normal(random);
    }
    // A plate whose edges are upright, and a rod.
    void addHolder() {
        for (Index y = 0; y < rows; ++y)
            for (Index x = 0; x < columns; ++x) {
                float& p = pixels[static_cast<std::size_t>(y * columns + x)];
                if (x > columns / 4) p += 0.4F;
                if (std::abs(static_cast<double>(y - rows / 2)) < 2) p += 0.7F;
            }
    }
    [[nodiscard]] Span3<const float> span() const { return {pixels.data(), 1, rows, columns}; }
};

const std::vector<std::array<double, 2>> kPlaces = {
    {50.3, 20.7}, {90.8, 33.1}, {60.45, 72.2}, {101.6, 80.9}, {130.2, 25.5}};

TEST(FindBalls, PlacesAndRadiiOfAnisotropicPixels) {
    Image image(151, 103, {0.5, 0.62});
    for (const auto& [u, v] : kPlaces)
        image.add(u, v, 1.9, 0.8);
    image.addHolder();
    image.addNoise(0.01);  // of ten thousand photons
    const BallModel model = fitBallModel({image.span()}, image.pitchMm, 0);
    EXPECT_NEAR(model.radiusMm, 1.9, 0.06);  // 3 %
    const std::vector<BallImage> found = findBalls(image.span(), model);
    ASSERT_EQ(found.size(), kPlaces.size());
    for (const auto& [u, v] : kPlaces) {
        bool isThere = false;
        for (const BallImage& ball : found)
            // A hundredth of the noise' weight in a disc of 5 pixels, 0.02 px, and twice that.
            isThere = isThere || std::hypot(ball.u - u, ball.v - v) < 0.06;
        EXPECT_TRUE(isThere) << u << ' ' << v;
    }
}

TEST(FindBalls, BallsThatTouchOrAreCutAreLeftOut) {
    Image image(151, 103, {0.5, 0.5});
    for (const auto& [u, v] : kPlaces)
        image.add(u, v, 2, 0.8);
    image.add(kPlaces[0][0] + 9, kPlaces[0][1] + 1, 2, 0.8);
    image.add(149, 60, 2, 0.8);
    const std::vector<BallImage> found = findBalls(image.span(), {image.pitchMm, 2, 0.6});
    EXPECT_EQ(found.size(), kPlaces.size() - 1);
}

TEST(FindBalls, NoiseEdgesAndRodsAreNoBalls) {
    Image image(151, 103, {0.5, 0.5});
    image.addHolder();
    image.addNoise(0.02);
    EXPECT_EQ(fitBallModel({image.span()}, image.pitchMm, 0).radiusMm, 0);
}

// The centroid of a large ball near the source, by the exact chord lengths of its rays.
TEST(FindBalls, TheCentroidLiesFartherOutThanTheCentre) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 100;
    geometry.cone().sourceToDetectorMm = 300;
    geometry.cone().views = 1;
    geometry.detector = {.columns = 401, .rows = 401, .pitchMm = {0.5, 0.5}};
    const Vec3 center = {22, -6, 17};
    const double radius = 4;
    Phantom phantom;
    phantom.shapes.emplace_back();
    phantom.shapes[0].centerMm = center;
    phantom.shapes[0].halfAxesMm = {radius, radius, radius};
    phantom.shapes[0].value = 1;
    std::vector<float> view(401 * 401);
    projectPhantom(phantom, viewPose(geometry, 0), geometry.detector, {0, 401}, view);
    double mass = 0, u = 0, v = 0;
    for (std::size_t i = 0; i < view.size(); ++i) {
        mass += view[i];
        u += view[i] * static_cast<double>(i % 401);
        v += view[i] * static_cast<double>(i / 401);
    }
    const ViewOptics optics = opticsOf(viewPose(geometry, 0), geometry.detector);
    const auto naive = optics.matrix.project(center.x, center.y, center.z);
    const SeenAt seen = seenAt(optics, center, radius);
    EXPECT_GT(std::hypot(u / mass - naive.u, v / mass - naive.v), 0.25);
    // What is left is of the next order, q² = 0.2 % of the shift, and of sampling.
    EXPECT_NEAR(seen.u, u / mass, 0.01);
    EXPECT_NEAR(seen.v, v / mass, 0.01);
}

TEST(FindBalls, TheMedianIsTheMiddle) {
    EXPECT_EQ(medianOf({3, 1, 9}), 3);
    EXPECT_EQ(medianOf({4, 1, 3, 2}), 3);
}

}  // namespace
}  // namespace gantry
