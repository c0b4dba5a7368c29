#include "core/calibrate/balls/match_balls.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace gantry {

namespace {

// What views of a scan that is not yet calibrated make of distances.
constexpr double kShapeError = 0.03;

using Triple = std::array<std::size_t, 3>;

// A frame on three points: along the first two, across, and up.
std::array<Vec3, 3> frameOf(Vec3 a, Vec3 b, Vec3 c) {
    const Vec3 x = (1 / length(b - a)) * (b - a);
    const Vec3 z = cross(x, c - a);
    const Vec3 up = (1 / length(z)) * z;
    return {x, cross(up, x), up};
}

class BallMatcher {
  public:
    BallMatcher(const std::vector<Vec3>& found, const std::vector<Vec3>& known)
        : m_found(found), m_known(known) {}

    std::optional<BallMatch> best() {
        // A found triple may hold a ball that is none: others are tried then.
        for (const Triple& base : bases()) {
            tryBase(base);
            if (m_best && 10 * m_best->count >= 9 * m_found.size()) break;
        }
        if (!m_best || m_best->count < 4 || 2 * m_best->count <= m_found.size())
            return std::nullopt;
        return m_best;
    }

  private:
    // Wide triples, the widest first.
    [[nodiscard]] std::vector<Triple> bases() const {
        constexpr std::size_t kMax = 12;
        constexpr std::size_t kMaxInTriples = 60;  // triples of more would be too many to look at
        const std::size_t count = std::min(m_found.size(), kMaxInTriples);
        std::vector<std::pair<double, Triple>> all;
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t j = i + 1; j < count; ++j)
                for (std::size_t k = j + 1; k < count; ++k) {
                    const double area =
                        length(cross(m_found[j] - m_found[i], m_found[k] - m_found[i]));
                    all.push_back({area, {i, j, k}});
                }
        std::ranges::sort(all, [](const auto& a, const auto& b) { return a.first > b.first; });
        std::vector<Triple> bases;
        std::vector<int> uses(m_found.size());
        for (const auto& [area, triple] : all) {
            if (bases.size() == kMax || !(area > 0)) break;
            // Not the same ball in all of them.
            if (std::ranges::any_of(triple, [&](std::size_t i) { return uses[i] > 2; })) continue;
            for (const std::size_t i : triple)
                ++uses[i];
            bases.push_back(triple);
        }
        return bases;
    }

    void tryBase(const Triple& base) {
        const double ab = length(m_found[base[1]] - m_found[base[0]]);
        const double ac = length(m_found[base[2]] - m_found[base[0]]);
        const double bc = length(m_found[base[2]] - m_found[base[1]]);
        for (std::size_t a = 0; a < m_known.size(); ++a)
            for (std::size_t b = 0; b < m_known.size(); ++b) {
                if (a == b) continue;
                const double scale = ab / length(m_known[b] - m_known[a]);
                for (std::size_t c = 0; c < m_known.size(); ++c) {
                    if (c == a || c == b) continue;
                    const double otherC = scale * length(m_known[c] - m_known[a]);
                    const double otherB = scale * length(m_known[c] - m_known[b]);
                    if (std::abs(otherC - ac) < kShapeError * ac &&
                        std::abs(otherB - bc) < kShapeError * bc)
                        tryTriple(base, {a, b, c}, scale);
                }
            }
    }

    void tryTriple(const Triple& base, const Triple& known, double scale) {
        const auto there = frameOf(m_found[base[0]], m_found[base[1]], m_found[base[2]]);
        const auto here = frameOf(m_known[known[0]], m_known[known[1]], m_known[known[2]]);
        BallMatch match;
        match.scale = scale;
        for (const Vec3& ball : m_known) {
            const Vec3 from = ball - m_known[known[0]];
            Vec3 placed = m_found[base[0]];
            for (std::size_t i = 0; i < 3; ++i)
                placed = placed + (scale * dot(from, here[i])) * there[i];
            match.placedMm.push_back(placed);
        }
        match.known.resize(m_found.size());
        std::vector<bool> isTaken(m_known.size());
        double misfit = 0;
        for (std::size_t i = 0; i < m_found.size(); ++i) {
            const auto [nearest, distance] = nearestPlaced(match.placedMm, m_found[i]);
            if (isTaken[nearest] || distance > tolerance(scale, nearest)) continue;
            isTaken[nearest] = true;
            match.known[i] = nearest;
            ++match.count;
            misfit += distance * distance;
        }
        if (m_best &&
            (match.count < m_best->count || (match.count == m_best->count && misfit >= m_misfit)))
            return;
        m_misfit = misfit;
        m_best = std::move(match);
    }

    [[nodiscard]] static std::pair<std::size_t, double> nearestPlaced(
        const std::vector<Vec3>& placed, Vec3 ball) {
        std::pair<std::size_t, double> nearest = {0, std::numeric_limits<double>::infinity()};
        for (std::size_t i = 0; i < placed.size(); ++i)
            if (const double distance = length(placed[i] - ball); distance < nearest.second)
                nearest = {i, distance};
        return nearest;
    }

    // A third of the way to the ball's neighbour, so that no other could be meant.
    [[nodiscard]] double tolerance(double scale, std::size_t ball) const {
        double min = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < m_known.size(); ++i)
            if (i != ball) min = std::min(min, length(m_known[i] - m_known[ball]));
        return scale * min / 3;
    }

    const std::vector<Vec3>& m_found;
    const std::vector<Vec3>& m_known;
    std::optional<BallMatch> m_best;
    double m_misfit = 0;
};

}  // namespace

std::optional<BallMatch> matchBalls(const std::vector<Vec3>& foundMm,
                                    const std::vector<Vec3>& knownMm) {
    return BallMatcher(foundMm, knownMm).best();
}

}  // namespace gantry
