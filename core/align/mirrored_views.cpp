#include "core/align/mirrored_views.h"

#include <algorithm>
#include <cmath>

#include "core/align/centre_search.h"
#include "core/backproject/interpolate.h"
#include "core/base/parallel.h"

namespace gantry {

namespace {

// Farther apart, what lies between two views is no mean of them.
constexpr double kWidestGapDeg = 12;

struct Neighbours {
    double before = 360;  // degrees to the nearest view on either side
    double after = 360;
    MirroredPair pair;

    // What a straight line between the two errs by.
    [[nodiscard]] double error() const { return before * after; }
};

void consider(Neighbours& found, Index candidate, double fromDeg, bool isOpposite) {
    constexpr double kSameDeg = 1e-6;
    const double ahead = fromDeg - 360 * std::floor(fromDeg / 360 + kSameDeg / 360);
    const double behind = ahead < kSameDeg ? 0 : 360 - ahead;
    if (ahead < found.after) {
        found.after = std::max(ahead, 0.0);
        found.pair.after = {candidate, 0, isOpposite};
    }
    if (behind < found.before) {
        found.before = behind;
        found.pair.before = {candidate, 0, isOpposite};
    }
}

std::optional<Neighbours> neighboursOf(std::size_t view, std::span<const double> anglesDeg) {
    Neighbours found;
    found.pair.view = static_cast<Index>(view);
    // The opposite view of two at the same position gives more information.
    for (const bool isOpposite : {true, false})
        for (std::size_t s = 0; s < anglesDeg.size(); ++s)
            if (s != view)
                consider(found, static_cast<Index>(s),
                         anglesDeg[s] - anglesDeg[view] - (isOpposite ? 180 : 0), isOpposite);
    const double gap = found.before + found.after;
    auto& [own, before, after] = found.pair;
    if (gap > kWidestGapDeg || !(before.isOpposite || after.isOpposite)) return std::nullopt;
    after.share = gap > 0 ? found.before / gap : 0;
    before.share = 1 - after.share;
    // One that looks as the view itself does tells nothing alone.
    const double opposite =
        (before.isOpposite ? before.share : 0) + (after.isOpposite ? after.share : 0);
    constexpr double kMinShare = 0.3;
    if (opposite < kMinShare) return std::nullopt;
    return found;
}

// The point in the plane through the axis, square to the beam, that is seen at (u, v).
class PlaneOfView {
  public:
    explicit PlaneOfView(const ProjectionMatrix& matrix)
        : m_u{matrix.m[0][0], matrix.m[0][1], matrix.m[0][2]},
          m_v{matrix.m[1][0], matrix.m[1][1], matrix.m[1][2]},
          m_atOrigin{matrix.m[0][3], matrix.m[1][3]} {}

    [[nodiscard]] Vec3 at(double u, double v) const {
        const double uu = dot(m_u, m_u);
        const double vv = dot(m_v, m_v);
        const double uv = dot(m_u, m_v);
        const double du = u - m_atOrigin[0];
        const double dv = v - m_atOrigin[1];
        const double det = uu * vv - uv * uv;
        return ((du * vv - dv * uv) / det) * m_u + ((dv * uu - du * uv) / det) * m_v;
    }

  private:
    Vec3 m_u;
    Vec3 m_v;
    std::array<double, 2> m_atOrigin;
};

// What a view shows of the ray through a point; a NaN outside its pixels.
double seen(Span3<const float> views, const MirroredPair::Side& side,
            std::span<const ProjectionMatrix> matrices, Vec3 pointMm) {
    if (side.share == 0) return 0;
    constexpr double kRounding = 1e-6;  // of a pixel, at the edges of a detector of one row
    const ProjectionMatrix::Point p = matrices[side.view].project(pointMm.x, pointMm.y, pointMm.z);
    const auto lastU = static_cast<double>(views.size(2) - 1);
    const auto lastV = static_cast<double>(views.size(1) - 1);
    if (p.u < 0 || p.u > lastU || p.v < -kRounding || p.v > lastV + kRounding) return kUncompared;
    return side.share * interpolate(views, side.view, p.u, std::clamp(p.v, 0.0, lastV));
}

// What two views alone tell of edges that lie alike in all rows, in pixels of the stack: measured
// on simulated scans without noise.
constexpr double kPairResolutionPx = 0.025;

}  // namespace

std::vector<MirroredPair> mirroredPairs(std::span<const double> anglesDeg, std::size_t max) {
    std::vector<Neighbours> all;
    double min = 360.0 * 360.0;
    for (std::size_t s = 0; s < anglesDeg.size(); ++s)
        if (const std::optional<Neighbours> found = neighboursOf(s, anglesDeg)) {
            all.push_back(*found);
            min = std::min(min, found->error());
        }
    constexpr double kEquallyGood = 1.05;
    constexpr double kExactDeg = 1e-3;
    std::erase_if(all, [&](const Neighbours& n) {
        return n.error() > kEquallyGood * min + kExactDeg * kExactDeg;
    });
    std::vector<MirroredPair> pairs;
    const std::size_t count = std::min(max, all.size());
    for (std::size_t i = 0; i < count; ++i)
        pairs.push_back(all[i * all.size() / count].pair);
    return pairs;
}

Differences mirroredViews(const ViewStack& stack, std::span<const ProjectionMatrix> matrices,
                          std::span<const MirroredPair> pairs, int threads,
                          const std::stop_token& stop) {
    const Span3<const float> views = stack.span();
    const Index nU = views.size(2);
    const Index nV = views.size(1);
    // Pixels of a few columns share their errors, and so do those of all rows, as what lies between
    // two views is no mean of them in any row: together they count as one observation.
    constexpr Index kTogether = 16;
    const Index blocks = (nU + kTogether - 1) / kTogether;
    Differences found;
    found.perPair = kTogether;
    found.values.assign(pairs.size() * static_cast<std::size_t>(nV * blocks * kTogether),
                        kUncompared);
    std::vector<Index> groups(found.values.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const MirroredPair& pair = pairs[i];
        const PlaneOfView plane(matrices[pair.view]);
        const auto compare = [&](Index begin, Index end, int) {
            for (Index v = begin; v < end; ++v) {
                const auto first =
                    static_cast<std::size_t>((static_cast<Index>(i) * nV + v) * blocks * kTogether);
                for (Index u = 0; u < nU; ++u) {
                    const Vec3 point = plane.at(static_cast<double>(u), static_cast<double>(v));
                    const std::size_t at = first + static_cast<std::size_t>(u);
                    groups[at] = static_cast<Index>(i);
                    found.values[at] = views(pair.view, v, u) -
                                       seen(views, pair.before, matrices, point) -
                                       seen(views, pair.after, matrices, point);
                }
            }
        };
        parallelFor(threads, nV, 4, compare, stop);
    }
    for (Index i = 0; i < std::ssize(pairs); ++i)
        for (Index v = 0; v < nV; ++v)
            for (Index block = i * blocks; block < (i + 1) * blocks; ++block)
                found.pairs.push_back({2 * block, 2 * block + 1});
    removeGroupMeans(found.values, groups);
    return found;
}

Finding centreFromPairs(const ViewStack& stack, std::span<const MirroredPair> pairs,
                        const MatricesAt& matricesAt, const Misalignment& about, double rangePx,
                        int threads, const std::stop_token& stop) {
    const auto at = [&](double centrePx) {
        Misalignment tried = about;
        tried.centrePx = centrePx;
        return mirroredViews(stack, stack.matrices(matricesAt(tried)), pairs, threads, stop);
    };
    const auto step = static_cast<double>(stack.binning[0]);
    Finding found = minContradictingCentre(
        {at, "pixels of views half a turn apart", " lie on both sides of the axis"}, about.centrePx,
        rangePx, step);
    found.uncertainty = std::hypot(found.uncertainty, kPairResolutionPx * step);
    return found;
}

}  // namespace gantry
