#include "core/calibrate/balls/find_balls.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/median.h"
#include "core/base/types.h"
#include "core/calibrate/balls/ball_image.h"
#include "core/calibrate/balls/bright_spots.h"

namespace gantry {

namespace {

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
        const bool isAlone = std::none_of(balls.begin(), balls.end(), [&](const BallImage& other) {
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
