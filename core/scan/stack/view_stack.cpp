#include "core/scan/stack/view_stack.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/parallel.h"
#include "core/geometry/pixel_block.h"

namespace gantry {

namespace {

std::vector<float> gaussian(double sigma) {
    const auto reach = static_cast<Index>(std::ceil(3 * sigma));
    std::vector<float> weights;
    weights.reserve(2 * reach + 1);
    for (Index j = -reach; j <= reach; ++j)
        weights.push_back(
            static_cast<float>(std::exp(-static_cast<double>(j * j) / (2 * sigma * sigma))));
    const float sum = std::accumulate(weights.begin(), weights.end(), 0.0F);
    for (float& weight : weights)
        weight /= sum;
    return weights;
}

// Convolves along u with a stride of 1, along v with one of the columns; pixels beyond an edge
// equal the last one. in, out: [v][u]
void convolve(std::span<const float> in, std::span<float> out, const std::vector<float>& weights,
              std::array<Index, 2> rowsAndColumns, Index stride) {
    const auto [rows, columns] = rowsAndColumns;
    const auto reach = static_cast<Index>(weights.size() / 2);
    for (Index v = 0; v < rows; ++v)
        for (Index u = 0; u < columns; ++u) {
            const Index here = stride == 1 ? u : v;
            const Index last = (stride == 1 ? columns : rows) - 1;
            const float* pixel = in.data() + v * columns + u;
            float sum = 0;
            for (Index j = -reach; j <= reach; ++j)
                sum += weights[j + reach] *
                       pixel[(std::clamp<Index>(here + j, 0, last) - here) * stride];
            out[v * columns + u] = sum;
        }
}

}  // namespace

std::vector<ProjectionMatrix> ViewStack::matrices(std::span<const ProjectionMatrix> ofScan) const {
    std::vector<ProjectionMatrix> own;
    own.reserve(views.size());
    for (const Index view : views)
        own.push_back(binnedMatrix(ofScan[view], binning, firstRow));
    return own;
}

void smooth(ViewStack& stack, double sigmaPixels, int threads) {
    const std::vector<float> weights = gaussian(sigmaPixels);
    const Index pixels = stack.rows * stack.columns;
    parallelFor(threads, std::ssize(stack.views), 1, [&](Index begin, Index end, int) {
        std::vector<float> between(pixels);
        for (Index s = begin; s < end; ++s) {
            const std::span<float> view = stack.pixels.span().subspan(s * pixels, pixels);
            // Along u, then along v.
            convolve(view, between, weights, {stack.rows, stack.columns}, 1);
            convolve(between, view, weights, {stack.rows, stack.columns}, stack.columns);
        }
    });
}

namespace {

// Those that need all views, of larger pixels and the same times in every stride-th view.
Corrections ofStack(const Corrections& corrections, Index binning, double stride) {
    Corrections all;
    all.rings = corrections.rings;
    all.pixels.bin = binning * corrections.pixels.bin;
    all.lag = corrections.lag;
    all.lag.views /= stride;
    return all;
}

}  // namespace

void correctAllViews(ViewStack& stack, const Corrections& corrections, int threads,
                     const std::stop_token& stop) {
    const auto views = std::ssize(stack.views);
    const double stride = views > 1
                              ? static_cast<double>(stack.views.back() - stack.views.front()) /
                                    static_cast<double>(views - 1)
                              : 1;
    correctAllViews(ofStack(corrections, stack.binning[0], std::max(1.0, stride)),
                    Span3<float>(stack.pixels.data(), views, stack.rows, stack.columns), threads,
                    stop);
}

Index allViewsBytes(const Corrections& corrections, Index views, Index columns, Index binning) {
    return workspaceBytes(ofStack(corrections, binning, 1), {views, 1, columns});
}

ScanGeometry binnedGeometry(const ScanGeometry& declared, const ViewStack& stack) {
    return onPixels(declared, {{0, stack.firstRow}, {stack.columns, stack.rows}, stack.binning});
}

std::shared_ptr<const Acquisition> acquisitionOf(const ViewStack& stack,
                                                 const ScanGeometry& declared, FilterRows rows,
                                                 const RowExtension& extension) {
    SourceInfo stored;
    stored.views = std::ssize(stack.views);
    stored.rows = stack.rows;
    stored.columns = stack.columns;
    const std::vector<Index> leftOut = viewsLeftOut(declared.views(), stack);
    RedundancyPlan redundancy = planRedundancy(declared, leftOut, extension);
    AlignedViews aligned = alignedViews(declared, redundancy, leftOut, rows);
    return std::make_shared<const Acquisition>(Acquisition{
        std::move(stored), ProjectionKind::attenuation, std::make_shared<DetectorCalibration>(),
        Rectifier(declared, rows), std::move(redundancy), std::move(aligned)});
}

std::vector<Index> viewsLeftOut(Index views, const ViewStack& stack) {
    std::vector<bool> isChosen(views);
    for (const Index view : stack.views)
        isChosen[view] = true;
    std::vector<Index> left;
    for (Index view = 0; view < views; ++view)
        if (!isChosen[view]) left.push_back(view);
    return left;
}

void binView(Span3<const float> view, std::array<Index, 2> binning, Span3<float> out) {
    const auto [across, down] = binning;
    const float share = 1 / static_cast<float>(across * down);
    for (Index v = 0; v < out.size(1); ++v)
        for (Index u = 0; u < out.size(2); ++u) {
            float sum = 0;
            for (Index row = v * down; row < (v + 1) * down; ++row)
                for (Index column = u * across; column < (u + 1) * across; ++column)
                    sum += view(0, row, column);
            out(0, v, u) = share * sum;
        }
}

ProjectionMatrix binnedMatrix(const ProjectionMatrix& matrix, std::array<Index, 2> binning,
                              Index firstRow) {
    const std::array<double, 2> size = {static_cast<double>(binning[0]),
                                        static_cast<double>(binning[1])};
    // The centre of the first pixel lies (binning − 1)/2 pixels into it.
    const std::array<double, 2> first = {(size[0] - 1) / 2,
                                         static_cast<double>(firstRow) + (size[1] - 1) / 2};
    ProjectionMatrix binned = matrix;
    for (std::size_t axis = 0; axis < 2; ++axis)
        for (std::size_t i = 0; i < 4; ++i)
            binned.m[axis][i] = (matrix.m[axis][i] - first[axis] * matrix.m[2][i]) / size[axis];
    return binned;
}

Vec3 sourceOf(const ProjectionMatrix& matrix) {
    const auto& m = matrix.m;
    const auto normal = [&](std::size_t i) { return Vec3{m[i][0], m[i][1], m[i][2]}; };
    // Cramer's rule for M·x = −p, with the cross products as the rows of M's inverse.
    const Vec3 a = cross(normal(1), normal(2));
    const Vec3 b = cross(normal(2), normal(0));
    const Vec3 c = cross(normal(0), normal(1));
    return (-1 / dot(normal(0), a)) * (m[0][3] * a + m[1][3] * b + m[2][3] * c);
}

Vec3 rayThrough(const ProjectionMatrix& matrix, double u, double v) {
    const auto normal = [&](std::size_t i) {
        return Vec3{matrix.m[i][0], matrix.m[i][1], matrix.m[i][2]};
    };
    // M⁻¹·(u, v, 1) up to a positive factor.
    const Vec3 a = cross(normal(1), normal(2));
    const double sign = dot(normal(0), a) < 0 ? -1 : 1;
    return sign * (u * a + v * cross(normal(2), normal(0)) + cross(normal(0), normal(1)));
}

}  // namespace gantry
