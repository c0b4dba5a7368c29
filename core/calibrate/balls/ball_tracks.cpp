#include "core/calibrate/balls/ball_tracks.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/median.h"

namespace gantry {

namespace {

constexpr Index kMinImages = 10;
constexpr double kMinShare = 0.3;    // of the views in which the orbit crosses the detector
constexpr double kMinSpanRad = 0.7;  // from which on an orbit's image tells where it goes on
// Views in a row, and the angle between views, before a path is given up.
constexpr Index kMaxMissed = 4;
constexpr double kMaxMissedRad = 0.25;
// The last images say where a path goes on: so many, and all of the last angle.
constexpr std::size_t kLeadingImages = 6;
constexpr double kLeadingRad = 0.2;

// A piece of a track, from view to view.
struct Path {
    std::vector<Index> views;  // upwards
    std::vector<std::size_t> images;
};

using Point = std::array<double, 2>;

class Tracker {
  public:
    Tracker(const BallImages& images, const std::vector<double>& anglesRad,
            std::array<Index, 2> size, double tolerancePx)
        : m_images(images),
          m_angles(anglesRad),
          m_size{static_cast<double>(size[0]), static_cast<double>(size[1])},
          m_tolerancePx(tolerancePx),
          m_taken(images.size()) {
        for (std::size_t s = 0; s < images.size(); ++s)
            m_taken[s].resize(images[s].size());
    }

    std::vector<BallTrack> all() {
        // Begun in several views: a ball may be hidden in one.
        constexpr Index kStarts = 24;
        const Index starts = std::min(kStarts, views());
        std::vector<BallTrack> tracks;
        for (Index k = 0; k < starts; ++k) {
            const Index from = k * views() / starts;
            for (std::size_t i = 0; i < m_images[from].size(); ++i) {
                if (m_taken[from][i]) continue;
                if (auto track = trackThrough(from, i)) {
                    take(*track);
                    tracks.push_back(std::move(*track));
                }
            }
        }
        return withoutMixtures(joined(tracks));
    }

  private:
    // A ball whose images scatter may have been followed in pieces: those that lie on one orbit as
    // well as on their own are one ball's.
    [[nodiscard]] std::vector<BallTrack> joined(const std::vector<BallTrack>& tracks) const {
        std::vector<BallTrack> wholes;
        for (const BallTrack& track : tracks) {
            const auto other = std::ranges::find_if(
                wholes, [&](const BallTrack& w) { return areOneBall(w, track); });
            if (other == wholes.end()) {
                wholes.push_back(track);
                continue;
            }
            other->count = 0;
            for (std::size_t s = 0; s < track.images.size(); ++s) {
                if (!other->images[s]) other->images[s] = track.images[s];
                if (other->images[s]) ++other->count;
            }
        }
        return wholes;
    }

    [[nodiscard]] bool areOneBall(const BallTrack& a, const BallTrack& b) const {
        constexpr double kMinPx = 0.3;
        constexpr double kTimesOwn = 1.5;
        const Path ofA = pathOf(a);
        const Path ofB = pathOf(b);
        Path both = ofA;
        for (std::size_t k = 0; k < ofB.views.size(); ++k) {
            if (a.images[ofB.views[k]]) return false;  // a ball is in one place of a view
            both.views.push_back(ofB.views[k]);
            both.images.push_back(ofB.images[k]);
        }
        const auto orbit = orbitOf(both);
        if (!orbit) return false;
        const double own = std::max(rmsOf(ofA, *orbitOf(ofA)), rmsOf(ofB, *orbitOf(ofB)));
        return rmsOf(both, *orbit) < std::max(kMinPx, kTimesOwn * own);
    }

    // A track that has images of several balls keeps its orbit far worse than the others; one of a
    // ball that has a track already is of images that lie beside that one.
    [[nodiscard]] std::vector<BallTrack> withoutMixtures(std::vector<BallTrack> tracks) const {
        constexpr double kTimesUsual = 4;
        constexpr double kMinPx = 0.3;
        if (tracks.empty()) return tracks;
        std::ranges::stable_sort(
            tracks, [](const BallTrack& a, const BallTrack& b) { return a.count > b.count; });
        std::vector<OrbitImage> orbits;
        std::vector<double> rms;
        for (const BallTrack& track : tracks) {
            const Path path = pathOf(track);
            orbits.push_back(*orbitOf(path));
            rms.push_back(rmsOf(path, orbits.back()));
        }
        const double limit = std::max(kMinPx, kTimesUsual * medianOf(rms));
        std::vector<BallTrack> kept;
        std::vector<std::size_t> which;
        for (std::size_t b = 0; b < tracks.size(); ++b) {
            const bool isTwice = std::ranges::any_of(
                which, [&](std::size_t other) { return areAlike(orbits[b], orbits[other]); });
            if (rms[b] > limit || isTwice) continue;
            which.push_back(b);
            kept.push_back(std::move(tracks[b]));
        }
        return kept;
    }

    // Whether two orbits' images go the same way, on the whole.
    [[nodiscard]] bool areAlike(const OrbitImage& a, const OrbitImage& b) const {
        std::vector<double> distances;
        distances.reserve(m_angles.size());
        for (const double angle : m_angles) {
            const Point p = a.at(angle);
            const Point q = b.at(angle);
            distances.push_back(std::hypot(p[0] - q[0], p[1] - q[1]));
        }
        return medianOf(std::move(distances)) < 2 * m_tolerancePx;
    }

    [[nodiscard]] static Path pathOf(const BallTrack& track) {
        Path path;
        for (std::size_t s = 0; s < track.images.size(); ++s)
            if (track.images[s]) {
                path.views.push_back(static_cast<Index>(s));
                path.images.push_back(*track.images[s]);
            }
        return path;
    }

    [[nodiscard]] double rmsOf(const Path& path, const OrbitImage& orbit) const {
        double squares = 0;
        for (std::size_t k = 0; k < path.views.size(); ++k) {
            const Point p = point(path.views[k], path.images[k]);
            const Point q = orbit.at(m_angles[path.views[k]]);
            squares += (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]);
        }
        return std::sqrt(squares / static_cast<double>(path.views.size()));
    }

    [[nodiscard]] Index views() const { return std::ssize(m_images); }
    [[nodiscard]] Point point(Index s, std::size_t i) const {
        return {m_images[s][i].u, m_images[s][i].v};
    }
    [[nodiscard]] bool isOnDetector(Point p) const {
        return p[0] >= 0 && p[1] >= 0 && p[0] <= m_size[0] - 1 && p[1] <= m_size[1] - 1;
    }

    // The free image of a view that is nearest to a place, within a distance.
    [[nodiscard]] std::optional<std::size_t> nearest(Index s, Point p, double within) const {
        std::optional<std::size_t> found;
        for (std::size_t i = 0; i < m_images[s].size(); ++i) {
            if (m_taken[s][i]) continue;
            const Point q = point(s, i);
            const double distance = std::hypot(p[0] - q[0], p[1] - q[1]);
            if (distance > within) continue;
            within = distance;
            found = i;
        }
        return found;
    }

    // The longest path through an image that begins with a pair in neighbouring views.
    [[nodiscard]] std::optional<BallTrack> trackThrough(Index s, std::size_t i) const {
        if (s + 1 >= views()) return std::nullopt;
        const double step = std::abs(m_angles[s + 1] - m_angles[s]);
        const Point from = point(s, i);
        // A ball at the edge of what is seen moves by half the detector a radian, and faster by its
        // magnification where it is near the source; along v it moves by perspective and roll.
        const double maxU = m_size[0] * step + 2;
        const double maxV = 0.2 * m_size[0] * step + 0.3 * m_size[1] * step + 2;
        std::optional<BallTrack> best;
        for (std::size_t next = 0; next < m_images[s + 1].size(); ++next) {
            const Point to = point(s + 1, next);
            if (m_taken[s + 1][next] || std::abs(to[0] - from[0]) > maxU ||
                std::abs(to[1] - from[1]) > maxV)
                continue;
            Path path = {{s, s + 1}, {i, next}};
            extend(path, true);
            extend(path, false);
            auto track = completed(path);
            if (track && (!best || track->count > best->count)) best = std::move(track);
        }
        return best;
    }

    // Where a path leads in another view: by a line through two images, else by a parabola through
    // the last ones.
    [[nodiscard]] Point leads(const Path& path, Index to, bool forward) const {
        std::size_t n = std::min(path.views.size(), kLeadingImages);
        const Index end = forward ? path.views.back() : path.views.front();
        while (n < path.views.size() &&
               std::abs(m_angles[path.views[forward ? path.views.size() - n - 1 : n]] -
                        m_angles[end]) < kLeadingRad)
            ++n;
        const std::size_t first = forward ? path.views.size() - n : 0;
        // Through two images goes a line: the number of its square stays 0.
        Eigen::Matrix3d normal = Eigen::Vector3d(0, 0, n > 2 ? 0 : 1).asDiagonal();
        std::array<Eigen::Vector3d, 2> right = {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
        for (std::size_t k = first; k < first + n; ++k) {
            const double x = m_angles[path.views[k]] - m_angles[to];
            const Point p = point(path.views[k], path.images[k]);
            const Eigen::Vector3d powers(1, x, n > 2 ? x * x : 0);
            normal += powers * powers.transpose();
            right[0] += p[0] * powers;
            right[1] += p[1] * powers;
        }
        const Eigen::LDLT<Eigen::Matrix3d> solved(normal);
        if (!(solved.vectorD().minCoeff() > 0)) return point(path.views[first], path.images[first]);
        // The polynomials at 0.
        return {solved.solve(right[0]).x(), solved.solve(right[1]).x()};
    }

    void extend(Path& path, bool forward) const {
        Index missed = 0;
        for (Index s = forward ? path.views.back() + 1 : path.views.front() - 1;
             s >= 0 && s < views(); s += forward ? 1 : -1) {
            const Index last = forward ? path.views.back() : path.views.front();
            const double step = std::abs(m_angles[s] - m_angles[last]);
            if (missed > kMaxMissed && step > kMaxMissedRad) return;
            // What a line, or a parabola, leaves of half a detector's turning.
            const double bend = m_size[0] * step * step * (path.views.size() > 2 ? step : 1);
            const auto found = nearest(s, leads(path, s, forward), m_tolerancePx + bend);
            if (!found) {
                ++missed;
                continue;
            }
            missed = 0;
            path.views.insert(forward ? path.views.end() : path.views.begin(), s);
            path.images.insert(forward ? path.images.end() : path.images.begin(), *found);
        }
    }

    [[nodiscard]] std::optional<OrbitImage> orbitOf(const Path& path) const {
        std::vector<double> angles;
        std::vector<Point> points;
        for (std::size_t k = 0; k < path.views.size(); ++k) {
            angles.push_back(m_angles[path.views[k]]);
            points.push_back(point(path.views[k], path.images[k]));
        }
        return OrbitImage::fit(angles, points, m_size);
    }

    // The images nearest to an orbit's, of views within some angle of a path.
    [[nodiscard]] Path along(const OrbitImage& orbit, const Path& path, double beyondRad,
                             double within) const {
        const auto [low, high] =
            std::minmax(m_angles[path.views.front()], m_angles[path.views.back()]);
        Path gathered;
        for (Index s = 0; s < views(); ++s) {
            if (m_angles[s] < low - beyondRad || m_angles[s] > high + beyondRad) continue;
            const auto found = nearest(s, orbit.at(m_angles[s]), within);
            if (!found) continue;
            gathered.views.push_back(s);
            gathered.images.push_back(*found);
        }
        return gathered;
    }

    // A path goes on along its orbit's image, a bit farther each time.
    [[nodiscard]] std::optional<BallTrack> completed(Path path) const {
        constexpr double kFartherRad = 0.12;
        constexpr int kMaxRounds = 120;
        constexpr double kTimesRms = 4;
        for (int round = 0; round < kMaxRounds; ++round) {
            if (std::ssize(path.views) < kMinImages ||
                std::abs(m_angles[path.views.back()] - m_angles[path.views.front()]) < kMinSpanRad)
                return std::nullopt;
            const auto orbit = orbitOf(path);
            if (!orbit) return std::nullopt;
            // New images must be as near as the path's own, so that another ball's are not taken.
            const double within = std::clamp(kTimesRms * rmsOf(path, *orbit), 1.0, m_tolerancePx);
            Path longer = along(*orbit, path, kFartherRad, within);
            const bool isSettled = longer.views == path.views && longer.images == path.images;
            if (longer.views.empty()) return std::nullopt;
            path = std::move(longer);
            if (isSettled) break;
        }
        const auto orbit = orbitOf(path);
        return orbit ? trackOf(path, *orbit) : std::nullopt;
    }

    [[nodiscard]] std::optional<BallTrack> trackOf(const Path& path,
                                                   const OrbitImage& orbit) const {
        Index visible = 0;
        for (const double angle : m_angles)
            if (isOnDetector(orbit.at(angle))) ++visible;
        const auto count = std::ssize(path.views);
        if (count < kMinImages ||
            static_cast<double>(count) < kMinShare * static_cast<double>(visible))
            return std::nullopt;
        BallTrack track;
        track.images.resize(m_images.size());
        track.count = count;
        for (std::size_t k = 0; k < path.views.size(); ++k)
            track.images[path.views[k]] = path.images[k];
        return track;
    }

    void take(const BallTrack& track) {
        for (std::size_t s = 0; s < track.images.size(); ++s)
            if (track.images[s]) m_taken[s][*track.images[s]] = true;
    }

    const BallImages& m_images;
    const std::vector<double>& m_angles;
    std::array<double, 2> m_size;
    double m_tolerancePx;
    std::vector<std::vector<bool>> m_taken;
};

}  // namespace

std::vector<BallTrack> trackBalls(const BallImages& images, const std::vector<double>& anglesRad,
                                  std::array<Index, 2> size, double tolerancePx) {
    return Tracker(images, anglesRad, size, tolerancePx).all();
}

}  // namespace gantry
