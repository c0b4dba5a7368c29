#include "core/calibrate/fit/circle_bundle.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/calibrate/fit/descend.h"

namespace gantry {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

// What little errors as a blur's do to an angle that is known worse may be more than itself.
constexpr double kMinCertainDeg = 0.05;

double ofDistances(const ScanGeometry& geometry) {
    return 0.005 * geometry.cone().sourceToDetectorMm;
}
// The uncertainty of a known length, like that of a ball's diameter.
double ofScale(const ScanGeometry& geometry) {
    return 0.02 * geometry.cone().sourceToIsocenterMm;
}
double ofOffsets(const ScanGeometry& geometry) {
    return radians(kMinCertainDeg) * geometry.cone().sourceToDetectorMm;
}
double ofAngles(const ScanGeometry&) {
    return kMinCertainDeg;
}

constexpr CircleNumber kNumbers[kCircleNumbers] = {
    {"sourceToDetectorMm", "source–detector distance", " mm",
     [](ScanGeometry& g) -> double& { return g.cone().sourceToDetectorMm; }, ofDistances},
    {"offsetUMm", "detector's offset along u", " mm",
     [](ScanGeometry& g) -> double& { return g.detector.offsetMm[0]; }, ofOffsets},
    {"offsetVMm", "detector's offset along v", " mm",
     [](ScanGeometry& g) -> double& { return g.detector.offsetMm[1]; }, ofOffsets},
    {"rollDeg", "detector's roll", "°",
     [](ScanGeometry& g) -> double& { return g.detector.rollDeg; }, ofAngles},
    {"tiltDeg", "detector's tilt", "°",
     [](ScanGeometry& g) -> double& { return g.detector.tiltDeg; }, ofAngles},
    {"slantDeg", "detector's slant", "°",
     [](ScanGeometry& g) -> double& { return g.detector.slantDeg; }, ofAngles},
    {"sourceToIsocenterMm", "source–object distance", " mm",
     [](ScanGeometry& g) -> double& { return g.cone().sourceToIsocenterMm; }, ofScale},
};

// Small beside what matters, large beside rounding.
double stepOf(std::size_t number, const ScanGeometry& geometry) {
    constexpr double kShare = 1e-6;
    constexpr double kStepDeg = 1e-4;
    return kNumbers[number].unit[0] == ' ' ? kShare * geometry.cone().sourceToDetectorMm : kStepDeg;
}

Vec3 middleOf(const std::vector<Vec3>& points) {
    Vec3 sum;
    for (const Vec3& p : points)
        sum = sum + p;
    return (1 / static_cast<double>(points.size())) * sum;
}

// About the vector, by its length, radians (Rodrigues).
Vec3 turned(Vec3 p, Vec3 by) {
    const double angle = length(by);
    if (angle == 0) return p;
    const Vec3 axis = (1 / angle) * by;
    return std::cos(angle) * p + std::sin(angle) * cross(axis, p) +
           ((1 - std::cos(angle)) * dot(axis, p)) * axis;
}

// The circle's numbers that are free, then the rotation and the shift of rigid balls.
class BundleProblem {
  public:
    BundleProblem(const CircleBundle& bundle, std::span<const Sighting> sightings,
                  const std::vector<bool>& isUsed, double deviation)
        : m_sightings(sightings), m_isUsed(isUsed), m_deviation(deviation) {
        for (std::size_t i = 0; i < kCircleNumbers; ++i)
            if (bundle.isFree[i]) m_free.push_back(i);
    }

    [[nodiscard]] std::vector<std::array<double, 2>> residuals(const CircleBundle& bundle) const {
        const std::vector<ViewOptics> optics = opticsOf(bundle.geometry);
        std::vector<std::array<double, 2>> result;
        result.reserve(m_sightings.size());
        for (const Sighting& seen : m_sightings) {
            const SeenAt at = predicted(optics, bundle, seen);
            result.push_back({seen.u - at.u, seen.v - at.v});
        }
        return result;
    }

    [[nodiscard]] double cost(const CircleBundle& bundle) const {
        double sum = 0;
        const auto all = residuals(bundle);
        for (std::size_t i = 0; i < all.size(); ++i)
            if (m_isUsed[i]) sum += huberCost(std::hypot(all[i][0], all[i][1]), m_deviation);
        return std::isfinite(sum) ? sum : kUnknown;
    }

    [[nodiscard]] SplitFit fitAt(const CircleBundle& bundle) const {
        const std::size_t rigid = bundle.isRigid ? 6 : 0;
        SplitFit fit(m_free.size() + rigid, bundle.isRigid ? 0 : bundle.balls.centersMm.size());
        const std::vector<ViewOptics> optics = opticsOf(bundle.geometry);
        std::vector<std::vector<ViewOptics>> above;
        std::vector<std::vector<ViewOptics>> below;
        for (const std::size_t number : m_free) {
            above.push_back(opticsOf(changed(bundle.geometry, number, 1)));
            below.push_back(opticsOf(changed(bundle.geometry, number, -1)));
        }
        const Vec3 middle = middleOf(bundle.balls.centersMm);
        std::array<std::vector<double>, 2> slopes;
        for (auto& slope : slopes)
            slope.resize(m_free.size() + rigid);
        for (std::size_t i = 0; i < m_sightings.size(); ++i) {
            if (!m_isUsed[i]) continue;
            const Sighting& seen = m_sightings[i];
            const SeenAt at = predicted(optics, bundle, seen);
            for (std::size_t p = 0; p < m_free.size(); ++p) {
                const double step = 2 * stepOf(m_free[p], bundle.geometry);
                const SeenAt high = predicted(above[p], bundle, seen);
                const SeenAt low = predicted(below[p], bundle, seen);
                slopes[0][p] = -(high.u - low.u) / step;
                slopes[1][p] = -(high.v - low.v) / step;
            }
            const auto moves = seenMoves(optics[seen.view], at);
            const std::array<double, 2> residual = {seen.u - at.u, seen.v - at.v};
            const double weight = huberWeight(std::hypot(residual[0], residual[1]), m_deviation);
            for (std::size_t axis = 0; axis < 2; ++axis) {
                const auto& m = moves[axis];
                if (bundle.isRigid)
                    putRigid(m, bundle.balls.centersMm[seen.ball] - middle,
                             std::span(slopes[axis]).subspan(m_free.size()));
                fit.add(slopes[axis], seen.ball, {-m[0], -m[1], -m[2]}, residual[axis], weight);
            }
        }
        return fit;
    }

    [[nodiscard]] CircleBundle moved(CircleBundle bundle, const SplitFit::Unknowns& step) const {
        for (std::size_t p = 0; p < m_free.size(); ++p)
            kNumbers[m_free[p]].of(bundle.geometry) += step.numbers[p];
        std::vector<Vec3>& centers = bundle.balls.centersMm;
        for (std::size_t b = 0; b < step.balls.size(); ++b)
            centers[b] = centers[b] + Vec3{step.balls[b][0], step.balls[b][1], step.balls[b][2]};
        if (bundle.isRigid) {
            const auto at = step.numbers.begin() + std::ssize(m_free);
            const Vec3 middle = middleOf(centers);
            for (Vec3& c : centers)
                c = middle + turned(c - middle, {at[0], at[1], at[2]}) + Vec3{at[3], at[4], at[5]};
        }
        return bundle;
    }

  private:
    static ScanGeometry changed(ScanGeometry geometry, std::size_t number, double steps) {
        const double step = stepOf(number, geometry);
        kNumbers[number].of(geometry) += steps * step;
        return geometry;
    }
    static SeenAt predicted(const std::vector<ViewOptics>& optics, const CircleBundle& bundle,
                            const Sighting& seen) {
        return seenAt(optics[seen.view], bundle.balls.centersMm[seen.ball],
                      bundle.balls.radiiMm[seen.ball]);
    }
    // A rotation ω moves a ball by ω × r.
    static void putRigid(const std::array<double, 3>& m, Vec3 r, std::span<double> slopes) {
        const Vec3 turn = cross(r, {m[0], m[1], m[2]});
        slopes[0] = -turn.x;
        slopes[1] = -turn.y;
        slopes[2] = -turn.z;
        for (std::size_t i = 0; i < 3; ++i)
            slopes[3 + i] = -m[i];
    }

    std::span<const Sighting> m_sightings;
    const std::vector<bool>& m_isUsed;
    double m_deviation;
    std::vector<std::size_t> m_free;
};

void describe(const CircleBundle& bundle, BundleFit& fit) {
    double squares = 0;
    double count = 0;
    for (std::size_t i = 0; i < fit.residuals.size(); ++i) {
        if (!fit.isUsed[i]) continue;
        const auto& [u, v] = fit.residuals[i];
        squares += u * u + v * v;
        count += 1;
    }
    std::size_t numbers = bundle.isRigid ? 6 : 3 * bundle.balls.centersMm.size();
    for (const bool isFree : bundle.isFree)
        numbers += isFree ? 1 : 0;
    fit.rmsPx = std::sqrt(squares / count);
    fit.variance = squares / std::max(1.0, 2 * count - static_cast<double>(numbers));
    SplitFit::Unknowns alone;
    for (std::size_t i = 0; i < kCircleNumbers; ++i) {
        fit.deviations[i] = 0;
        if (!bundle.isFree[i]) continue;
        alone.numbers.push_back(1);
        const double variance = fit.normal.varianceOf(alone) * fit.variance;
        fit.deviations[i] = variance > 0 ? std::sqrt(variance) : kUnknown;
        alone.numbers.back() = 0;
    }
}

}  // namespace

std::span<const CircleNumber> circleNumbers() {
    return kNumbers;
}

BundleFit fitBundle(CircleBundle& bundle, std::span<const Sighting> sightings,
                    const std::stop_token& stop) {
    constexpr int kRounds = 4;
    BundleFit fit;
    fit.isUsed.assign(sightings.size(), true);
    for (int round = 0; round < kRounds; ++round) {
        if (stop.stop_requested()) throw Cancelled();
        measureRadii(opticsOf(bundle.geometry), sightings, bundle.balls);
        const auto before = BundleProblem(bundle, sightings, fit.isUsed, 1).residuals(bundle);
        const BundleProblem problem(bundle, sightings, fit.isUsed, robustDeviation(before));
        descend(
            bundle, [&](const CircleBundle& b) { return problem.cost(b); },
            [&](const CircleBundle& b) { return problem.fitAt(b); },
            [&](const CircleBundle& b, const SplitFit::Unknowns& step) {
                return problem.moved(b, step);
            });
        fit.residuals = problem.residuals(bundle);
        if (round + 1 == kRounds) {
            fit.normal = problem.fitAt(bundle);
            break;
        }
        const double limit = kOutlier * robustDeviation(fit.residuals);
        for (std::size_t i = 0; i < sightings.size(); ++i)
            fit.isUsed[i] = std::hypot(fit.residuals[i][0], fit.residuals[i][1]) <= limit;
    }
    describe(bundle, fit);
    return fit;
}

std::array<double, 2> axisSeenAt(const ScanGeometry& geometry) {
    const ViewPose pose = viewPoseAt(geometry, 0);
    const auto point =
        projectionMatrix(pose, geometry.detector).project(0, 0, geometry.cone().sourceOffsetMm[1]);
    return {point.u, point.v};
}

double deviationOf(const CircleBundle& bundle, const BundleFit& fit,
                   const std::function<double(const ScanGeometry&)>& value) {
    std::vector<double> slopes;
    for (std::size_t i = 0; i < kCircleNumbers; ++i) {
        if (!bundle.isFree[i]) continue;
        ScanGeometry changed = bundle.geometry;
        const double step = stepOf(i, changed);
        kNumbers[i].of(changed) += step;
        const double above = value(changed);
        kNumbers[i].of(changed) -= 2 * step;
        slopes.push_back((above - value(changed)) / (2 * step));
    }
    if (slopes.empty()) return kUnknown;
    return std::sqrt(fit.normal.varianceOf({slopes, {}}) * fit.variance);
}

}  // namespace gantry
