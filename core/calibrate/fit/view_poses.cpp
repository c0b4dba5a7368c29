#include "core/calibrate/fit/view_poses.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/calibrate/fit/descend.h"

namespace gantry {

namespace {

constexpr std::size_t kPoseNumbers = 9;
constexpr std::size_t kMinInView = 5;
// Uncertainty of a ball's position in a view; it determines the weight of the circle's pose.
constexpr double kPlaceErrorPx = 0.1;

// Changes of the source along the detector's u, v and normal, of the detector along the same, mm;
// and of roll, tilt and slant, degrees.
using PoseChange = std::array<double, kPoseNumbers>;

ViewPose changedPose(const ViewPose& pose, const PoseChange& by) {
    const Vec3 u = (1 / length(pose.uStepMm)) * pose.uStepMm;
    const Vec3 v = (1 / length(pose.vStepMm)) * pose.vStepMm;
    const Vec3 n = cross(v, u);
    Detector turned;
    turned.offsetMm = {by[3], by[4]};
    turned.rollDeg = by[6];
    turned.tiltDeg = by[7];
    turned.slantDeg = by[8];
    ViewPose moved = pose;
    moved.sourceMm = moved.sourceMm + by[0] * u + by[1] * v + by[2] * n;
    moved.detectorCenterMm = moved.detectorCenterMm + by[5] * n;
    return corrected(moved, turned);
}

// One view's sightings and the pose that it begins with.
class PoseProblem {
  public:
    PoseProblem(const ViewPose& start, const Detector& detector, double distanceMm,
                const Balls& balls, std::vector<const Sighting*> sightings)
        : m_start(start), m_detector(detector), m_balls(balls), m_seen(std::move(sightings)) {
        constexpr double kShare = 0.01;
        constexpr double kUsualDeg = 1;
        for (std::size_t i = 0; i < kPoseNumbers; ++i)
            m_usual[i] = i < 6 ? kShare * distanceMm : kUsualDeg;
    }

    [[nodiscard]] ViewPose pose(const PoseChange& change) const {
        return changedPose(m_start, change);
    }

    [[nodiscard]] double cost(const PoseChange& change) const {
        double sum = 0;
        for (const auto& [u, v] : residuals(change))
            sum += huberCost(std::hypot(u, v), kPlaceErrorPx);
        for (std::size_t i = 0; i < kPoseNumbers; ++i)
            sum += std::pow(kPlaceErrorPx * change[i] / m_usual[i], 2);
        return sum;
    }

    [[nodiscard]] SplitFit fitAt(const PoseChange& change) const {
        constexpr double kStep = 1e-4;  // mm and degrees
        SplitFit fit(kPoseNumbers, 0);
        const auto here = residuals(change);
        std::array<std::vector<std::array<double, 2>>, kPoseNumbers> above, below;
        for (std::size_t i = 0; i < kPoseNumbers; ++i) {
            PoseChange moved = change;
            moved[i] += kStep;
            above[i] = residuals(moved);
            moved[i] -= 2 * kStep;
            below[i] = residuals(moved);
        }
        PoseChange slopes{};
        for (std::size_t k = 0; k < here.size(); ++k) {
            const double weight = huberWeight(std::hypot(here[k][0], here[k][1]), kPlaceErrorPx);
            for (std::size_t axis = 0; axis < 2; ++axis) {
                for (std::size_t i = 0; i < kPoseNumbers; ++i)
                    slopes[i] = (above[i][k][axis] - below[i][k][axis]) / (2 * kStep);
                fit.add(slopes, 0, {}, here[k][axis], weight);
            }
        }
        for (std::size_t i = 0; i < kPoseNumbers; ++i) {
            slopes = {};
            slopes[i] = kPlaceErrorPx / m_usual[i];
            fit.add(slopes, 0, {}, slopes[i] * change[i], 1);
        }
        return fit;
    }

  private:
    [[nodiscard]] std::vector<std::array<double, 2>> residuals(const PoseChange& change) const {
        const ViewOptics optics = opticsOf(pose(change), m_detector);
        std::vector<std::array<double, 2>> result;
        result.reserve(m_seen.size());
        for (const Sighting* seen : m_seen) {
            const SeenAt at =
                seenAt(optics, m_balls.centersMm[seen->ball], m_balls.radiiMm[seen->ball]);
            result.push_back({seen->u - at.u, seen->v - at.v});
        }
        return result;
    }

    ViewPose m_start;
    const Detector& m_detector;
    const Balls& m_balls;
    std::vector<const Sighting*> m_seen;
    PoseChange m_usual{};
};

ViewPose fittedPose(const PoseProblem& problem) {
    PoseChange change{};
    descend(
        change, [&](const PoseChange& c) { return problem.cost(c); },
        [&](const PoseChange& c) { return problem.fitAt(c); },
        [&](PoseChange c, const SplitFit::Unknowns& step) {
            for (std::size_t i = 0; i < kPoseNumbers; ++i)
                c[i] += step.numbers[i];
            return c;
        });
    return problem.pose(change);
}

std::vector<ViewOptics> opticsOfPoses(const std::vector<ViewPose>& poses,
                                      const Detector& detector) {
    std::vector<ViewOptics> optics;
    optics.reserve(poses.size());
    for (const ViewPose& pose : poses)
        optics.push_back(opticsOf(pose, detector));
    return optics;
}

// What is moved, round by round, until the balls are where the views have them.
class PosesProblem {
  public:
    PosesProblem(const ScanGeometry& circle, std::span<const Sighting> sightings)
        : m_circle(circle), m_sightings(sightings) {
        for (Index s = 0; s < circle.views(); ++s)
            m_start.push_back(viewPose(circle, s));
    }

    [[nodiscard]] const std::vector<ViewPose>& start() const { return m_start; }

    void fitViews(PosesFit& fit, int threads, const std::stop_token& stop) const {
        std::vector<std::vector<const Sighting*>> ofView(m_start.size());
        for (std::size_t i = 0; i < m_sightings.size(); ++i)
            if (fit.isUsed[i]) ofView[m_sightings[i].view].push_back(&m_sightings[i]);
        const double distanceMm = m_circle.cone().sourceToDetectorMm;
        parallelFor(
            threads, std::ssize(m_start), 1,
            [&](Index begin, Index end, int) {
                for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end);
                     ++i)
                    fit.poses[i] = ofView[i].size() < kMinInView
                                       ? m_start[i]
                                       : fittedPose({m_start[i], m_circle.detector, distanceMm,
                                                     fit.balls, ofView[i]});
            },
            stop);
        fit.ownPoses = std::ranges::count_if(
            ofView, [](const auto& seen) { return seen.size() >= kMinInView; });
    }

    void placeBalls(PosesFit& fit) const {
        std::vector<Sighting> used;
        for (std::size_t i = 0; i < m_sightings.size(); ++i)
            if (fit.isUsed[i]) used.push_back(m_sightings[i]);
        fit.balls = triangulated(opticsOfPoses(fit.poses, m_circle.detector), used,
                                 fit.balls.centersMm.size());
    }

    void measure(PosesFit& fit) const {
        const std::vector<ViewOptics> optics = opticsOfPoses(fit.poses, m_circle.detector);
        fit.residuals.clear();
        for (const Sighting& seen : m_sightings) {
            const SeenAt at = seenAt(optics[seen.view], fit.balls.centersMm[seen.ball],
                                     fit.balls.radiiMm[seen.ball]);
            fit.residuals.push_back({seen.u - at.u, seen.v - at.v});
        }
    }

    static void leaveOut(PosesFit& fit) {
        const double limit = kOutlier * robustDeviation(fit.residuals);
        for (std::size_t i = 0; i < fit.residuals.size(); ++i)
            fit.isUsed[i] = std::hypot(fit.residuals[i][0], fit.residuals[i][1]) <= limit;
    }

  private:
    const ScanGeometry& m_circle;
    std::span<const Sighting> m_sightings;
    std::vector<ViewPose> m_start;
};

}  // namespace

PosesFit fitPoses(const ScanGeometry& circle, const Balls& balls, bool areKnown,
                  std::span<const Sighting> sightings, const std::vector<bool>& isUsed, int threads,
                  const std::stop_token& stop) {
    // Places and poses in turn: what a view's error does to the places is a small part of it.
    // Outliers show after the first time.
    const int rounds = areKnown ? 3 : 6;
    const PosesProblem problem(circle, sightings);
    PosesFit fit;
    fit.balls = balls;
    fit.poses = problem.start();
    fit.isUsed = isUsed;
    for (int round = 0; round < rounds; ++round) {
        problem.fitViews(fit, threads, stop);
        if (!areKnown) problem.placeBalls(fit);
        problem.measure(fit);
        if (round + 1 < rounds) PosesProblem::leaveOut(fit);
    }
    return fit;
}

}  // namespace gantry
