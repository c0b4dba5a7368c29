#include "core/calibrate/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/host_buffer.h"
#include "core/base/throw_error.h"
#include "core/calibrate/fit/circle_solver.h"
#include "core/calibrate/fit/view_poses.h"
#include "core/scan/stack/load_view_stack.h"

namespace gantry {

namespace {

struct FoundInViews {
    BallModel model;
    BallImages images;  // [view of the source]
};

BallModel modelOfSome(const OpenScan& scan, int threads,
                      const std::function<void(double)>& onProgress, const std::stop_token& stop) {
    constexpr Index kLookedAt = 5;
    const Detector& detector = scan.description.geometry.detector;
    StackRequest request;
    request.maxViews = kLookedAt;
    request.rows = {0, detector.rows};
    const ViewStack stack = loadViewStack(scan, request, threads, onProgress, stop);
    std::vector<Span3<const float>> views;
    views.reserve(stack.views.size());
    for (Index s = 0; s < std::ssize(stack.views); ++s)
        views.push_back(stack.span().slices({s, s + 1}));
    const BallModel model = fitBallModel(views, detector.pitchMm, 0);
    if (!(model.radiusMm > 0))
        throw FieldError(
            "projections",
            "the views show no balls: small, dense, round spots, at least four in a view, each "
            "between about 3 pixels and a sixth of the detector wide");
    return model;
}

// The balls of all views of a scan, after their model is fitted to some of them.
// onProgress: the share that is done, from any thread
// @throws InputError where the views show no balls; ResourceError, Cancelled
// Tests: tests/core/calibrate/calibrate_test.cpp
FoundInViews findInViews(const OpenScan& scan, int threads,
                         const std::function<void(double)>& onProgress,
                         const std::stop_token& stop) {
    constexpr double kShareOfModel = 0.1;
    FoundInViews found;
    found.model = modelOfSome(
        scan, threads, [&](double f) { onProgress(kShareOfModel * f); }, stop);
    const Index views = scan.source->info().views;
    std::vector<Index> all(views);
    std::iota(all.begin(), all.end(), Index{0});
    found.images.resize(all.size());
    visitViews(
        scan, all, {0, scan.description.geometry.detector.rows}, threads,
        [&](std::size_t i, Span3<const float> view) {
            found.images[i] = findBalls(view, found.model);
        },
        [&](double f) { onProgress(kShareOfModel + (1 - kShareOfModel) * f); }, stop);
    return found;
}

constexpr Index kMinViews = 10;

// How far the work is when each step begins.
constexpr double kFollowing = 0.85;
constexpr double kFitting = 0.88;
constexpr double kScaling = 0.94;
constexpr double kPosing = 0.96;

// Balls through the views, which are gone through by their angles.
struct Followed {
    std::vector<Sighting> sightings;
    std::size_t balls = 0;
};

Followed follow(const OpenScan& scan, const ScanGeometry& declared, const FoundInViews& found) {
    std::vector<std::size_t> order(found.images.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto numberOf = [&](std::size_t i) { return scan.numberOf(static_cast<Index>(i)); };
    const auto angleOf = [&](std::size_t i) { return declared.angleDeg(numberOf(i)); };
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return angleOf(a) < angleOf(b); });
    BallImages images;
    std::vector<double> angles;
    for (const std::size_t i : order) {
        images.push_back(found.images[i]);
        angles.push_back(radians(angleOf(i)));
    }
    const Detector& detector = declared.detector;
    // A view off its circle shows its balls off their orbits, by less than a ball's radius.
    const double tolerancePx =
        std::max(1.5, found.model.radiusMm / std::max(detector.pitchMm[0], detector.pitchMm[1]));
    const std::vector<BallTrack> tracks =
        trackBalls(images, angles, {detector.columns, detector.rows}, tolerancePx);
    Followed followed;
    followed.balls = tracks.size();
    for (std::size_t b = 0; b < tracks.size(); ++b)
        for (std::size_t k = 0; k < order.size(); ++k) {
            if (!tracks[b].images[k]) continue;
            const BallImage& image = images[k][*tracks[b].images[k]];
            followed.sightings.push_back(
                {numberOf(order[k]), b, image.u, image.v, image.radiusMm, *tracks[b].images[k]});
        }
    return followed;
}

void requireBalls(std::size_t balls) {
    if (balls < kMinBalls)
        throwError<InputError>(
            "{} balls could be followed through the views; at least {} are needed. Balls must stay "
            "in the views and apart from each other through most of the rotation, and views must "
            "follow each other closely.",
            balls, kMinBalls);
}

CalibratedNumber calibratedNumber(const CircleSolver& solved, std::size_t i) {
    const CircleNumber& from = circleNumbers()[i];
    ScanGeometry before = solved.declared();
    ScanGeometry after = solved.bundle().geometry;
    CalibratedNumber number;
    number.name = from.name;
    number.label = from.label;
    number.unit = from.unit;
    number.before = from.of(before);
    number.value = from.of(after);
    number.uncertainty = solved.uncertaintyOf(i);
    number.isFound = solved.bundle().isFree[i] || (i == kScaleNumber && solved.hasScale());
    if (number.isFound) return number;
    if (i == kScaleNumber && !solved.bundle().isRigid)
        number.reason =
            "views alone tell no scale, which needs the balls' places or one known length";
    else if (std::isfinite(number.uncertainty))
        number.reason = fmt::format("these balls in these views tell it to ±{:.2g}{} only",
                                    number.uncertainty, number.unit);
    else
        number.reason = "these balls in these views do not tell it";
    return number;
}

CalibratedNumber calibratedAxis(const CircleSolver& solved, std::size_t i) {
    CalibratedNumber number;
    number.name = i == 0 ? "axisColumnPx" : "axisRowPx";
    number.label = i == 0 ? "column on which the axis is seen" : "row of the source's height on it";
    number.unit = " px";
    number.before = axisSeenAt(solved.declared())[i];
    number.value = axisSeenAt(solved.bundle().geometry)[i];
    number.uncertainty =
        solved.uncertaintyOf([i](const ScanGeometry& geometry) { return axisSeenAt(geometry)[i]; });
    number.isFound = true;
    return number;
}

// What the balls and views say in the end.
struct Outcome {
    const Balls& balls;
    const std::vector<std::array<double, 2>>& residuals;
    const std::vector<bool>& isUsed;
};

void tellImages(const OpenScan& scan, const FoundInViews& found, const CircleSolver& solved,
                const Outcome& outcome, BallCalibration& result) {
    result.images.resize(solved.declared().views());
    for (std::size_t i = 0; i < found.images.size(); ++i)
        for (const BallImage& image : found.images[i])
            result.images[scan.numberOf(static_cast<Index>(i))].push_back(
                {image, {}, {0, 0}, false});
    for (std::size_t i = 0; i < solved.sightings().size(); ++i) {
        const Sighting& seen = solved.sightings()[i];
        CalibratedImage& image = result.images[seen.view][seen.image];
        image.ball = seen.ball;
        image.residualPx = outcome.residuals[i];
        image.isUsed = outcome.isUsed[i];
    }
    double all = 0;
    for (const auto& view : result.images) {
        double squares = 0;
        Index count = 0;
        for (const CalibratedImage& image : view)
            if (image.isUsed) {
                squares += image.residualPx[0] * image.residualPx[0] +
                           image.residualPx[1] * image.residualPx[1];
                ++count;
            }
        result.viewRmsPx.push_back(count > 0 ? std::sqrt(squares / static_cast<double>(count))
                                             : std::numeric_limits<double>::quiet_NaN());
        all += squares;
        result.imagesUsed += count;
    }
    result.rmsPx = std::sqrt(all / static_cast<double>(result.imagesUsed));
}

void tellBalls(const CircleSolver& solved, const Outcome& outcome, BallCalibration& result) {
    const std::size_t count = outcome.balls.centersMm.size();
    std::vector<double> squares(count);
    std::vector<double> used(count);
    for (std::size_t b = 0; b < count; ++b) {
        CalibratedBall ball;
        ball.centerMm = outcome.balls.centersMm[b];
        ball.radiusMm = outcome.balls.radiiMm[b];
        if (!solved.known().empty()) ball.known = solved.known()[b];
        result.balls.push_back(ball);
    }
    for (std::size_t i = 0; i < solved.sightings().size(); ++i) {
        const std::size_t b = solved.sightings()[i].ball;
        ++result.balls[b].views;
        if (!outcome.isUsed[i]) continue;
        const auto& [u, v] = outcome.residuals[i];
        squares[b] += u * u + v * v;
        used[b] += 1;
    }
    for (std::size_t b = 0; b < count; ++b)
        result.balls[b].rmsPx = std::sqrt(squares[b] / used[b]);
}

}  // namespace

BallCalibration calibrate(const OpenScan& scan, const CalibrationOptions& options) {
    const auto tell = [&](const char* what, double fraction) {
        if (options.onProgress) options.onProgress(what, fraction);
    };
    if (scan.description.geometry.isParallel())
        throw FieldError("trajectory.type",
                         "balls calibrate a cone's geometry, and the scan has a parallel beam");
    const Index views = scan.source->info().views;
    if (views < kMinViews)
        throwErrorOf<FieldError>("trajectory.views",
                                 "there are {} views to calibrate with; at least {} are needed",
                                 views, kMinViews);
    const FoundInViews found = findInViews(
        scan, options.threads, [&](double f) { tell("Finding balls", kFollowing * f); },
        options.stop);
    tell("Following balls", kFollowing);
    const ScanGeometry declared = meanCircleOf(scan.description.geometry);
    Followed followed = follow(scan, declared, found);
    requireBalls(followed.balls);

    tell("Fitting the circle", kFitting);
    CircleSolver solver(declared, std::move(followed.sightings), followed.balls, options.stop);
    solver.fit();
    tell("Fitting the scale", kScaling);
    if (!options.knownBallsMm.empty())
        solver.useKnownBalls(options.knownBallsMm, options.knownBallsName);
    else if (options.length)
        solver.useLength(*options.length);

    BallCalibration result;
    for (std::size_t i = 0; i < kCircleNumbers; ++i)
        result.numbers.push_back(calibratedNumber(solver, i));
    for (std::size_t i = 0; i < 2; ++i)
        result.numbers.push_back(calibratedAxis(solver, i));
    result.turnsOtherWay = solver.turnsOtherWay();
    result.hasScale = solver.hasScale();
    result.geometry = solver.bundle().geometry;
    result.circleRmsPx = solver.result().rmsPx;
    PosesFit poses;
    if (options.posePerView) {
        tell("Fitting poses", kPosing);
        poses = fitPoses(solver.bundle().geometry, solver.bundle().balls, solver.bundle().isRigid,
                         solver.sightings(), solver.result().isUsed, options.threads, options.stop);
        result.geometry =
            geometryOfPoses(poses.poses, declared.detector.columns, declared.detector.rows);
        result.viewsWithPose = poses.ownPoses;
    }
    const Outcome outcome = {options.posePerView ? poses.balls : solver.bundle().balls,
                             options.posePerView ? poses.residuals : solver.result().residuals,
                             options.posePerView ? poses.isUsed : solver.result().isUsed};
    tellImages(scan, found, solver, outcome, result);
    tellBalls(solver, outcome, result);
    tell("Done", 1);
    return result;
}

}  // namespace gantry
