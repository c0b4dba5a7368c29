#include "core/align/opposite_rays.h"

#include <cmath>
#include <optional>
#include <vector>

#include "core/backproject/interpolate.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/geometry/views/parallel_views.h"

namespace gantry {

namespace {

struct Ray {
    double value = kUncompared;
    Index column = 0;  // nearest to the ray
};

// What view s sees in the direction of a point; kUncompared outside its pixels.
Ray towards(Span3<const float> views, Index s, const ProjectionMatrix& matrix, Vec3 pointMm) {
    const ProjectionMatrix::Point p = matrix.project(pointMm.x, pointMm.y, pointMm.z);
    const bool isSeen = p.z > 0 && p.u >= 0 && p.u <= static_cast<double>(views.size(2) - 1) &&
                        p.v >= 0 && p.v <= static_cast<double>(views.size(1) - 1);
    if (!isSeen) return {};
    return {interpolate(views, s, p.u, p.v), std::lround(p.u)};
}

Vec3 rowOf(const ProjectionMatrix& matrix, std::size_t i) {
    return {matrix.m[i][0], matrix.m[i][1], matrix.m[i][2]};
}

// The two views between which one would look the opposite way.
struct Opposite {
    Index before = 0;
    Index after = 0;
    double share = 0;  // of the latter
};

// Gantry angles of parallel rays, 0 to 2π; none where the axis leans along them, as no ray then has
// an opposite one.
std::vector<double> directionsRad(std::span<const ProjectionMatrix> matrices) {
    constexpr double kUpright = 1e-3;
    std::vector<double> angles;
    angles.reserve(matrices.size());
    for (const ProjectionMatrix& matrix : matrices) {
        const Vec3 along = cross(rowOf(matrix, 0), rowOf(matrix, 1));
        if (std::abs(along.z) > kUpright * length(along)) return {};
        const double angle = std::atan2(along.y, along.x);
        angles.push_back(angle < 0 ? angle + 2 * kPi : angle);
    }
    return angles;
}

std::optional<Opposite> oppositeOf(std::size_t view, const std::vector<double>& anglesRad) {
    constexpr double kWidestGapRad = 0.2;  // farther apart, what lies between is no mean of the two
    Opposite found;
    double before = 2 * kPi;
    double after = 2 * kPi;
    for (std::size_t s = 0; s < anglesRad.size(); ++s) {
        const double from = anglesRad[s] - anglesRad[view] - kPi;
        const double ahead = from - 2 * kPi * std::floor(from / (2 * kPi));
        if (ahead < after) {
            after = ahead;
            found.after = static_cast<Index>(s);
        }
        if (2 * kPi - ahead < before) {
            before = 2 * kPi - ahead;
            found.before = static_cast<Index>(s);
        }
    }
    if (before + after > kWidestGapRad) return std::nullopt;
    found.share = before / (before + after);
    return found;
}

// Every column's ray through the height of the origin against those of the two views that look the
// nearest to the opposite way, in the plane through the axis.
Differences oppositeParallelRays(const ViewStack& stack, std::span<const ProjectionMatrix> matrices,
                                 CommonToViews common, const std::stop_token& stop) {
    const Span3<const float> views = stack.span();
    const Index nU = views.size(2);
    const std::vector<double> angles = directionsRad(matrices);
    Differences found;
    found.perPair = nU;
    std::vector<Index> columns;
    for (std::size_t s = 0; s < angles.size(); ++s) {
        if (stop.stop_requested()) throw Cancelled();
        const std::optional<Opposite> other = oppositeOf(s, angles);
        if (!other) continue;
        found.pairs.push_back({static_cast<Index>(s), other->before});
        const Vec3 across = rowOf(matrices[s], 0);
        const auto view = [&](Index number, Vec3 at) {
            return towards(views, number, matrices[number], at).value;
        };
        for (Index u = 0; u < nU; ++u) {
            const double steps = static_cast<double>(u) - matrices[s].m[0][3];
            const Vec3 at = (steps / dot(across, across)) * across;
            const double here = view(static_cast<Index>(s), at);
            const double there = (1 - other->share) * view(other->before, at) +
                                 other->share * view(other->after, at);
            found.values.push_back(here - there);
            found.squares.push_back((here * here + there * there) / 2);
            columns.push_back(u);
        }
    }
    if (common == CommonToViews::removed) removeGroupMeans(found.values, columns);
    return found;
}

}  // namespace

Differences oppositeRays(const ViewStack& stack, std::span<const ProjectionMatrix> matrices,
                         CommonToViews common, int threads, const std::stop_token& stop) {
    const Span3<const float> views = stack.span();
    require(std::ssize(matrices) == views.size(0),
            "opposite rays were asked for with matrices of other views");
    if (haveParallelRays(matrices)) return oppositeParallelRays(stack, matrices, common, stop);
    std::vector<Vec3> sources;
    sources.reserve(matrices.size());
    for (const ProjectionMatrix& matrix : matrices)
        sources.push_back(sourceOf(matrix));

    Differences found;
    found.pairs = pairsOf(views.size(0));
    found.values.assign(found.pairs.size(), kUncompared);
    found.squares.resize(found.pairs.size());
    std::vector<Index> columns(found.pairs.size());
    const auto compare = [&](Index begin, Index end, int) {
        for (Index i = begin; i < end; ++i) {
            const auto [s, other] = found.pairs[i];
            const auto a = static_cast<std::size_t>(s);
            const auto b = static_cast<std::size_t>(other);
            const Ray there = towards(views, s, matrices[a], sources[b]);
            if (std::isnan(there.value)) continue;
            const double back = towards(views, other, matrices[b], sources[a]).value;
            columns[i] = there.column;
            found.values[i] = there.value - back;
            found.squares[i] = (there.value * there.value + back * back) / 2;
        }
    };
    parallelFor(threads, std::ssize(found.pairs), 4096, compare, stop);
    if (common == CommonToViews::removed) removeGroupMeans(found.values, columns);
    return found;
}

}  // namespace gantry
