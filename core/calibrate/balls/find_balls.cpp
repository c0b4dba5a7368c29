#include "core/calibrate/balls/find_balls.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/median.h"
#include "core/base/types.h"
#include "core/calibrate/balls/bright_spots.h"

namespace gantry {

namespace {

// Lengths in pixels along u; rows count by the ratio of the pitches.
struct Sizes {
    double ratio = 1;
    double disc = 0;  // where its weight has fallen to a half
    double ringFrom = 0;
    double ringTo = 0;
};

Sizes sizesOf(const BallModel& model) {
    const double fine = std::min(model.pitchMm[0], model.pitchMm[1]);
    const double coarse = std::max(model.pitchMm[0], model.pitchMm[1]) / fine;
    Sizes sizes;
    sizes.ratio = model.pitchMm[1] / model.pitchMm[0];
    const double inU = fine / model.pitchMm[0];  // a fine pixel, in pixels along u
    const double radius = model.radiusMm / fine;
    sizes.disc = (1.15 * radius + coarse) * inU;
    sizes.ringFrom = (1.15 * radius + 1.5 * coarse) * inU;
    sizes.ringTo = (1.6 * radius + 2.5 * coarse) * inU;
    return sizes;
}

// Calls body with each pixel at most `reach` from the place, and its distances from it.
template <class Body>
void forPixels(const BallImage& about, double reach, double ratio, const Body& body) {
    const auto v0 = static_cast<Index>(std::ceil(about.v - reach / ratio));
    const auto v1 = static_cast<Index>(std::floor(about.v + reach / ratio));
    const auto u0 = static_cast<Index>(std::ceil(about.u - reach));
    const auto u1 = static_cast<Index>(std::floor(about.u + reach));
    for (Index v = v0; v <= v1; ++v)
        for (Index u = u0; u <= u1; ++u) {
            const double x = static_cast<double>(u) - about.u;
            const double y = (static_cast<double>(v) - about.v) * ratio;
            if (x * x + y * y <= reach * reach) body(u, v, x, y);
        }
}

bool isInside(Span3<const float> view, const BallImage& ball, const Sizes& sizes) {
    return ball.u - sizes.ringTo >= 0 && ball.v - sizes.ringTo / sizes.ratio >= 0 &&
           ball.u + sizes.ringTo <= static_cast<double>(view.size(2) - 1) &&
           ball.v + sizes.ringTo / sizes.ratio <= static_cast<double>(view.size(1) - 1);
}

// a + b·x + c·y through the ring about the ball; again and again without what lies far above, as
// other balls' edges do.
std::optional<Eigen::Vector3d> planeAbout(Span3<const float> view, const BallImage& ball,
                                          const Sizes& sizes) {
    constexpr int kRounds = 5;
    constexpr double kFarAbove = 1.5;
    constexpr double kFarBelow = 3;
    Eigen::Vector3d plane = Eigen::Vector3d::Zero();
    double deviation = 1e300;
    for (int round = 0; round < kRounds; ++round) {
        Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
        Eigen::Vector3d right = Eigen::Vector3d::Zero();
        double squares = 0;
        double count = 0;
        forPixels(ball, sizes.ringTo, sizes.ratio, [&](Index u, Index v, double x, double y) {
            if (x * x + y * y < sizes.ringFrom * sizes.ringFrom) return;
            const double value = view(0, v, u);
            const Eigen::Vector3d row(1, x, y);
            const double off = value - plane.dot(row);
            if (off > kFarAbove * deviation || off < -kFarBelow * deviation) return;
            normal += row * row.transpose();
            right += value * row;
            squares += off * off;
            count += 1;
        });
        const Eigen::LDLT<Eigen::Matrix3d> solved(normal);
        if (count < 6 || !(solved.vectorD().minCoeff() > 0)) return std::nullopt;
        // In the first round the deviations are from 0, and mean nothing.
        if (round > 0) deviation = std::sqrt(squares / count);
        plane = solved.solve(right);
    }
    return plane;
}

struct Moments {
    double mass = 0;
    double u = 0;
    double v = 0;
    double square = 0;
};

Moments momentsOf(Span3<const float> view, const BallImage& ball, const Sizes& sizes,
                  const Eigen::Vector3d& plane) {
    Moments m;
    forPixels(ball, sizes.disc + 0.5, sizes.ratio, [&](Index u, Index v, double x, double y) {
        // Its edge fades over a pixel, so that the sums are smooth as it moves.
        const double weight = std::clamp(sizes.disc + 0.5 - std::hypot(x, y), 0.0, 1.0);
        const double value = view(0, v, u) - plane.dot(Eigen::Vector3d(1, x, y));
        m.mass += weight * value;
        m.u += weight * value * x;
        m.v += weight * value * y;
        m.square += weight * value * (x * x + y * y);
    });
    return m;
}

// The ball at a spot, measured: what lies about it is taken off by a plane, and the centroid and
// the spread of the rest are taken within a disc that follows the centroid. None where the disc
// and the ring about it do not lie within the view, or where nothing is left.
// view: [1][v][u]
// Tests: tests/core/calibrate/find_balls_test.cpp
std::optional<BallImage> imageOfBall(Span3<const float> view, const Spot& spot,
                                     const BallModel& model) {
    constexpr int kSteps = 20;
    constexpr double kSettledPixels = 1e-4;
    const Sizes sizes = sizesOf(model);
    BallImage ball = {spot.u, spot.v, 0, spot.strength};
    for (int step = 0; step < kSteps; ++step) {
        if (!isInside(view, ball, sizes)) return std::nullopt;
        const auto plane = planeAbout(view, ball, sizes);
        if (!plane) return std::nullopt;
        const Moments m = momentsOf(view, ball, sizes, *plane);
        const double du = m.u / m.mass;
        const double dv = m.v / m.mass / sizes.ratio;
        if (!(m.mass > 0) || !(std::abs(du) < sizes.disc) || !(std::abs(dv) < sizes.disc))
            return std::nullopt;
        // A ball's chord lengths have a mean square distance of two fifths of its radius', to
        // which pixels add that of their own points.
        const double ofPixels = (1 + sizes.ratio * sizes.ratio) / 12;
        ball.radiusMm =
            std::sqrt(std::max(0.0, 2.5 * (m.square / m.mass - ofPixels))) * model.pitchMm[0];
        ball.u += du;
        ball.v += dv;
        if (std::hypot(du, dv) < kSettledPixels) break;
    }
    return ball;
}

// The smallest radius of which a spot has a shape, and the largest that leaves room about it.
constexpr double kMinRadiusPixels = 1.2;
constexpr double kLargestShare = 1.0 / 12;  // of the detector's shorter side
// Above the noise of spots: one in some 10^8 places is such by chance.
constexpr double kTimesNoise = 8;
// Min strength relative to a usual ball: one is fainter behind others' edges, seldom by more.
constexpr double kMinStrength = 1.0 / 3;

// The fourth strongest spot of each view, their median: a phantom has at least as many balls, and a
// thing that is there once or twice is none.
double strengthAt(const std::vector<Span3<const float>>& views, std::array<double, 2> pitchMm,
                  double radiusMm) {
    constexpr std::size_t kCounted = 4;
    std::vector<double> strengths;
    for (const Span3<const float>& view : views) {
        const Spots spots = brightSpots(view, pitchMm, radiusMm);
        const bool isThere = spots.places.size() >= kCounted &&
                             spots.places[kCounted - 1].strength > kTimesNoise * spots.noise;
        strengths.push_back(isThere ? spots.places[kCounted - 1].strength : 0);
    }
    return medianOf(std::move(strengths));
}

// The radius that the images themselves have, and their strength.
BallModel measured(const std::vector<Span3<const float>>& views, const BallModel& model) {
    std::vector<double> radii;
    std::vector<double> strengths;
    for (const Span3<const float>& view : views)
        for (const BallImage& ball : findBalls(view, model)) {
            radii.push_back(ball.radiusMm);
            strengths.push_back(ball.strength);
        }
    if (radii.empty()) return {model.pitchMm, 0, 0};
    return {model.pitchMm, medianOf(std::move(radii)), medianOf(std::move(strengths))};
}

// Touching balls disturb each other.
std::vector<BallImage> apart(const std::vector<BallImage>& balls, const BallModel& model) {
    constexpr double kMinRadii = 2.9;
    std::vector<BallImage> result;
    for (std::size_t i = 0; i < balls.size(); ++i) {
        const bool isAlone = std::ranges::none_of(balls, [&](const BallImage& other) {
            return &other != &balls[i] && std::hypot((other.u - balls[i].u) * model.pitchMm[0],
                                                     (other.v - balls[i].v) * model.pitchMm[1]) <
                                              kMinRadii * model.radiusMm;
        });
        if (isAlone) result.push_back(balls[i]);
    }
    return result;
}

}  // namespace

std::vector<BallImage> findBalls(Span3<const float> view, const BallModel& model) {
    constexpr double kFromSize = 0.6;
    constexpr double kToSize = 1.7;
    const Spots spots = brightSpots(view, model.pitchMm, model.radiusMm);
    const double min = std::max(kTimesNoise * spots.noise, kMinStrength * model.strength);
    std::vector<BallImage> balls;
    for (const Spot& spot : spots.places) {
        if (spot.strength < min) continue;
        const std::optional<BallImage> ball = imageOfBall(view, spot, model);
        if (ball && ball->radiusMm > kFromSize * model.radiusMm &&
            ball->radiusMm < kToSize * model.radiusMm)
            balls.push_back(*ball);
    }
    return apart(balls, model);
}

BallModel fitBallModel(const std::vector<Span3<const float>>& views, std::array<double, 2> pitchMm,
                       double radiusMm) {
    constexpr double kStep = 1.2;
    constexpr int kRefinements = 2;
    BallModel model{pitchMm, 0, 0};
    if (views.empty()) return model;
    const double largest =
        kLargestShare * std::min(static_cast<double>(views[0].size(2)) * pitchMm[0],
                                 static_cast<double>(views[0].size(1)) * pitchMm[1]);
    double from = kMinRadiusPixels * std::max(pitchMm[0], pitchMm[1]);
    double to = largest;
    if (radiusMm > 0) from = to = radiusMm;
    for (double radius = from; radius <= to; radius *= kStep)
        if (const double strength = strengthAt(views, pitchMm, radius); strength > model.strength) {
            model.radiusMm = radius;
            model.strength = strength;
        }
    for (int i = 0; i < kRefinements && model.radiusMm > 0; ++i)
        model = measured(views, model);
    return model;
}

}  // namespace gantry
