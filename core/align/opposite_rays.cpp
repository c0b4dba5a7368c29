#include "core/align/opposite_rays.h"

#include <cmath>

#include "core/backproject/interpolate.h"
#include "core/base/error.h"
#include "core/base/parallel.h"

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

}  // namespace

Differences oppositeRays(const ViewStack& stack, std::span<const ProjectionMatrix> matrices,
                         CommonToViews common, int threads, const std::stop_token& stop) {
    const Span3<const float> views = stack.span();
    require(static_cast<Index>(matrices.size()) == views.size(0),
            "opposite rays were asked for with matrices of other views");
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
            const auto [s, other] = found.pairs[static_cast<std::size_t>(i)];
            const auto a = static_cast<std::size_t>(s);
            const auto b = static_cast<std::size_t>(other);
            const Ray there = towards(views, s, matrices[a], sources[b]);
            if (std::isnan(there.value)) continue;
            const double back = towards(views, other, matrices[b], sources[a]).value;
            columns[static_cast<std::size_t>(i)] = there.column;
            found.values[static_cast<std::size_t>(i)] = there.value - back;
            found.squares[static_cast<std::size_t>(i)] =
                (there.value * there.value + back * back) / 2;
        }
    };
    parallelFor(threads, static_cast<Index>(found.pairs.size()), 4096, compare, stop);
    if (common == CommonToViews::removed) removeGroupMeans(found.values, columns);
    return found;
}

}  // namespace gantry
