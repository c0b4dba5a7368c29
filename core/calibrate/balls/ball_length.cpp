#include "core/calibrate/balls/ball_length.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/throw_error.h"

namespace gantry {

namespace {

// Balls whose heights differ by no more than this share of the phantom's height are at one height.
constexpr double kOneHeight = 0.02;
// A ring may stand inclined.
constexpr double kOneRing = 0.06;

double heightOf(const std::vector<Vec3>& centers) {
    const auto [low, high] = std::minmax_element(
        centers.begin(), centers.end(), [](const Vec3& a, const Vec3& b) { return a.z < b.z; });
    return high->z - low->z;
}

MeasuredLength betweenBalls(const KnownLength& length, const Balls& balls) {
    const Index count = std::ssize(balls.centersMm);
    for (const Index ball : length.balls)
        if (ball < 1 || ball > count)
            throwError<InputError>(
                "There is no ball {}: {} were found, which are counted from 1, upwards.", ball,
                count);
    if (length.balls[0] == length.balls[1])
        throwError<InputError>(
            "The known length is from ball {} to itself; it must be between two balls.",
            length.balls[0]);
    const auto a = static_cast<std::size_t>(length.balls[0] - 1);
    const auto b = static_cast<std::size_t>(length.balls[1] - 1);
    const Vec3 way = balls.centersMm[b] - balls.centersMm[a];
    MeasuredLength measured;
    measured.mm = gantry::length(way);
    measured.slopes.resize(balls.centersMm.size());
    const Vec3 along = (1 / measured.mm) * way;
    measured.slopes[b] = {along.x, along.y, along.z};
    measured.slopes[a] = {-along.x, -along.y, -along.z};
    return measured;
}

// A ring has at least three balls of one height; the plane's height is their mean.
MeasuredLength betweenRings(const Balls& balls) {
    constexpr std::size_t kMinSightings = 3;
    const std::vector<Vec3>& centers = balls.centersMm;
    const auto [low, high] = std::minmax_element(
        centers.begin(), centers.end(), [](const Vec3& a, const Vec3& b) { return a.z < b.z; });
    const double within = kOneRing * heightOf(centers);
    std::vector<std::size_t> lowest;
    std::vector<std::size_t> topmost;
    for (std::size_t b = 0; b < centers.size(); ++b) {
        if (centers[b].z - low->z <= within) lowest.push_back(b);
        if (high->z - centers[b].z <= within) topmost.push_back(b);
    }
    if (lowest.size() < kMinSightings || topmost.size() < kMinSightings)
        throwError<InputError>(
            "The balls are no rings: {} are at the height of the lowest and {} at that of the "
            "topmost, and at least {} are needed of each. Give the distance of two balls instead.",
            lowest.size(), topmost.size(), kMinSightings);
    MeasuredLength measured;
    measured.slopes.resize(centers.size());
    for (const auto& [ring, sign] : {std::pair{&lowest, -1.0}, std::pair{&topmost, 1.0}})
        for (const std::size_t b : *ring) {
            const double share = sign / static_cast<double>(ring->size());
            measured.mm += share * centers[b].z;
            measured.slopes[b][2] = share;
        }
    constexpr double kInclined = 1e-3;  // 1 − cos 2.5°, as a phantom may stand
    measured.relativeError = kInclined;
    return measured;
}

MeasuredLength diameterOf(const Balls& balls) {
    std::vector<double> radii = balls.radiiMm;
    std::ranges::sort(radii);
    const double median = radii[radii.size() / 2];
    double squares = 0;
    for (const double radius : radii)
        squares += (radius / median - 1) * (radius / median - 1);
    MeasuredLength measured;
    measured.mm = 2 * median;
    measured.slopes.resize(radii.size());
    // What all images have in common, as a focal spot's blur, is not among their scatter.
    constexpr double kCommonError = 0.01;
    const auto n = static_cast<double>(radii.size());
    measured.relativeError =
        std::hypot(kCommonError, std::sqrt(squares / (n * std::max(1.0, n - 1))));
    return measured;
}

}  // namespace

std::vector<std::size_t> countingOrder(const std::vector<Vec3>& centersMm) {
    std::vector<std::size_t> order(centersMm.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (order.empty()) return order;
    std::ranges::sort(
        order, [&](std::size_t a, std::size_t b) { return centersMm[a].z < centersMm[b].z; });
    const double within = kOneHeight * heightOf(centersMm);
    const auto angle = [&](std::size_t i) {
        const double a = std::atan2(centersMm[i].y, centersMm[i].x);
        return a < 0 ? a + 2 * kPi : a;
    };
    for (auto from = order.begin(); from != order.end();) {
        const double height = centersMm[*from].z;
        const auto to = std::find_if(
            from, order.end(), [&](std::size_t i) { return centersMm[i].z - height > within; });
        std::sort(from, to, [&](std::size_t a, std::size_t b) { return angle(a) < angle(b); });
        from = to;
    }
    return order;
}

MeasuredLength measureLength(const KnownLength& length, const Balls& balls) {
    switch (length.kind) {
        case KnownLength::Kind::betweenBalls:
            return betweenBalls(length, balls);
        case KnownLength::Kind::betweenRings:
            return betweenRings(balls);
        case KnownLength::Kind::diameter:
            return diameterOf(balls);
    }
    throw InternalError("A known length is of no kind.");
}

}  // namespace gantry
