#include "core/align/plane_integrals.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/parallel.h"

namespace gantry {

namespace {

// Steepest line; orbits' lines are flatter but for views from opposite sides.
constexpr double kSteepest = 0.4;
// A column belongs to the object when its mean is above this share of the largest.
constexpr double kObjectShare = 0.03;
// Surfaces that a plane touches make F jump, and where two views sample a jump differently they
// would seem to contradict each other. So F is smoothed along v0, by a Gaussian of two pixels.
constexpr double kSmoothPixels = 2;
constexpr Index kReach = 6;
// A line is whole if all lines that it is smoothed with are, and those that it is interpolated
// from.
constexpr Index kMargin = kReach + 2;

double norm(const std::array<double, 4>& row, double alongDepth,
            const std::array<double, 4>& depth) {
    return length(Vec3{row[0], row[1], row[2]} - alongDepth * Vec3{depth[0], depth[1], depth[2]});
}

// A view's foot of the source and its distance from the detector, in pixels along u and v.
struct Foot {
    double u;
    double v;
    double distanceU;
    double distanceV;
};
Foot footOf(const ProjectionMatrix& matrix) {
    const auto& m = matrix.m;
    const auto row = [&](std::size_t i) { return Vec3{m[i][0], m[i][1], m[i][2]}; };
    const double u = dot(row(0), row(2)) / dot(row(2), row(2));
    const double v = dot(row(1), row(2)) / dot(row(2), row(2));
    const double scale = length(row(2));
    return {u, v, norm(m[0], u, m[2]) / scale, norm(m[1], v, m[2]) / scale};
}

// Weights of the neighbours for the slope of what they sample, smoothed.
std::vector<double> smoothDerivative() {
    std::vector<double> weights;
    weights.reserve(2 * kReach + 1);
    double slopeOfOne = 0;
    for (Index j = -kReach; j <= kReach; ++j) {
        const auto x = static_cast<double>(j);
        weights.push_back(x * std::exp(-x * x / (2 * kSmoothPixels * kSmoothPixels)));
        slopeOfOne += x * weights.back();
    }
    for (double& weight : weights)
        weight /= slopeOfOne;
    return weights;
}

// The image of the plane with this normal through the source.
DetectorLine imageOf(const ProjectionMatrix& matrix, Vec3 normal, double middle) {
    // l = M⁻ᵀ·n up to a factor; M⁻ᵀ has the cross products of M's rows as its rows.
    const auto row = [&](std::size_t i) {
        return Vec3{matrix.m[i][0], matrix.m[i][1], matrix.m[i][2]};
    };
    const double a = dot(cross(row(1), row(2)), normal);
    const double b = dot(cross(row(2), row(0)), normal);
    const double c = dot(cross(row(0), row(1)), normal);
    return {-a / b, -(a * middle + c) / b};
}

}  // namespace

PlaneIntegrals::PlaneIntegrals(const ViewStack& stack, std::span<const ProjectionMatrix> matrices,
                               int threads, const std::stop_token& stop)
    : m_rows(stack.rows), m_columns(stack.columns) {
    const Span3<const float> views = stack.span();
    require(std::ssize(matrices) == views.size(0),
            "plane integrals were asked for with matrices of other views");
    // Neighbouring lines are at most one pixel apart at the detector's edges.
    m_slopes =
        2 * static_cast<Index>(std::ceil(kSteepest * static_cast<double>(m_columns) / 2)) + 1;
    m_supports.resize(matrices.size());
    m_values = HostBuffer<float>(views.size(0) * m_slopes * m_rows);
    parallelFor(
        threads, views.size(0), 1,
        [&](Index begin, Index end, int) {
            std::vector<float> weighted;
            std::vector<double> sums;
            for (Index s = begin; s < end; ++s)
                sumLines(views, s, matrices[s], weighted, sums);
        },
        stop);
    for (const IndexRange& support : m_supports)
        m_isWhole = m_isWhole && support.begin > 0 && support.end < m_columns && !support.empty();
}

void PlaneIntegrals::sumLines(Span3<const float> views, Index s, const ProjectionMatrix& matrix,
                              std::vector<float>& weighted, std::vector<double>& sums) {
    const Foot foot = footOf(matrix);
    // The weighted view, transposed: [u][v].
    weighted.resize(m_columns * m_rows);
    std::vector<double> means(m_columns);
    for (Index u = 0; u < m_columns; ++u) {
        const double a = (static_cast<double>(u) - foot.u) / foot.distanceU;
        for (Index v = 0; v < m_rows; ++v) {
            const double b = (static_cast<double>(v) - foot.v) / foot.distanceV;
            const float p = views(s, v, u);
            means[u] += p;
            weighted[u * m_rows + v] = p / static_cast<float>(std::sqrt(1 + a * a + b * b));
        }
    }
    const double min = kObjectShare * *std::ranges::max_element(means);
    IndexRange& support = m_supports[s];
    for (Index u = 0; u < m_columns; ++u)
        if (means[u] > min) support = hullOf(support, {u, u + 1});
    support = {std::max<Index>(0, support.begin - 2), std::min(m_columns, support.end + 2)};

    const std::vector<double> derivative = smoothDerivative();
    const double middle = static_cast<double>(m_columns - 1) / 2;
    sums.resize(m_rows);
    for (Index k = 0; k < m_slopes; ++k) {
        const double slope =
            kSteepest * (2 * static_cast<double>(k) / static_cast<double>(m_slopes - 1) - 1);
        std::ranges::fill(sums, 0.0);
        for (Index u = support.begin; u < support.end; ++u) {
            const double shift = slope * (static_cast<double>(u) - middle);
            const auto whole = static_cast<Index>(std::floor(shift));
            const double part = shift - static_cast<double>(whole);
            const float* column = weighted.data() + u * m_rows;
            const Index first = std::max<Index>(0, -whole);
            const Index end = std::min(m_rows, m_rows - 1 - whole);
            for (Index v = first; v < end; ++v)
                sums[v] += (1 - part) * column[v + whole] + part * column[v + whole + 1];
        }
        float* out = m_values.data() + (s * m_slopes + k) * m_rows;
        for (Index v = 0; v < m_rows; ++v) {
            double sum = 0;
            for (Index j = -kReach; j <= kReach; ++j)
                sum += derivative[j + kReach] * sums[std::clamp<Index>(v + j, 0, m_rows - 1)];
            out[v] = static_cast<float>(sum);
        }
    }
}

double PlaneIntegrals::slopeIndex(double slope) const {
    return (slope / kSteepest + 1) * static_cast<double>(m_slopes - 1) / 2;
}

double PlaneIntegrals::at(Index s, const DetectorLine& line) const {
    if (!(std::abs(line.slope) < kSteepest)) return kUncompared;
    // The line stays on the detector, with those beside it, wherever the object is.
    const auto isWithin = [&](double v) {
        return v >= kMargin && v <= static_cast<double>(m_rows - 1 - kMargin);
    };
    const double middle = static_cast<double>(m_columns - 1) / 2;
    const IndexRange& support = m_supports[s];
    for (const Index u : {support.begin, support.end - 1})
        if (!isWithin(line.v0 + line.slope * (static_cast<double>(u) - middle))) return kUncompared;
    if (!isWithin(line.v0)) return kUncompared;
    const double k = slopeIndex(line.slope);
    const auto whole = static_cast<Index>(k);
    const auto row = static_cast<Index>(line.v0);
    const double dk = k - static_cast<double>(whole);
    const double dv = line.v0 - static_cast<double>(row);
    const float* lower = m_values.data() + (s * m_slopes + whole) * m_rows + row;
    const float* upper = lower + m_rows;
    return (lower[0] * (1 - dv) + lower[1] * dv) * (1 - dk) +
           (upper[0] * (1 - dv) + upper[1] * dv) * dk;
}

Differences PlaneIntegrals::differences(std::span<const ProjectionMatrix> matrices, Index planes,
                                        int threads, const std::stop_token& stop) const {
    const double middle = static_cast<double>(m_columns - 1) / 2;
    std::vector<Vec3> sources;
    std::vector<Foot> feet;
    sources.reserve(matrices.size());
    feet.reserve(matrices.size());
    for (const ProjectionMatrix& matrix : matrices) {
        sources.push_back(sourceOf(matrix));
        feet.push_back(footOf(matrix));
    }
    // F of a view's line, from the tabulated derivative.
    const auto value = [&](Index s, const DetectorLine& line) {
        const Foot& f = feet[s];
        const double slope = line.slope * f.distanceU / f.distanceV;
        const double intercept = (line.v0 + line.slope * (f.u - middle) - f.v) / f.distanceV;
        const double stretch = 1 + slope * slope;
        return (1 + intercept * intercept / stretch) * stretch * (f.distanceV / f.distanceU) *
               at(s, line);
    };
    Differences found;
    found.pairs = pairsOf(std::ssize(matrices));
    found.perPair = planes;
    found.values.assign(found.pairs.size() * static_cast<std::size_t>(planes), kUncompared);
    found.squares.resize(found.values.size());
    std::vector<Index> lines(found.values.size());
    const auto compare = [&](Index begin, Index end, int) {
        for (Index i = begin; i < end; ++i) {
            const auto [s, other] = found.pairs[i];
            const ProjectionMatrix& first = matrices[s];
            const ProjectionMatrix& second = matrices[other];
            const Vec3 baseline = sources[other] - sources[s];
            // Planes through the baseline and points of the first view's middle column: their
            // normals are those of the baseline and these points' rays.
            for (Index k = 0; k < planes; ++k) {
                const double v = (static_cast<double>(k) + 0.5) * static_cast<double>(m_rows) /
                                 static_cast<double>(planes);
                const Vec3 normal = cross(baseline, rayThrough(first, middle, v));
                const DetectorLine line = imageOf(first, normal, middle);
                const double here = value(s, line);
                if (std::isnan(here)) continue;
                const auto at = static_cast<std::size_t>(i * planes + k);
                lines[at] = std::lround(slopeIndex(line.slope)) * planes + k;
                const double there = value(other, imageOf(second, normal, middle));
                found.values[at] = here - there;
                found.squares[at] = (here * here + there * there) / 2;
            }
        }
    };
    parallelFor(threads, std::ssize(found.pairs), 256, compare, stop);
    removeGroupMeans(found.values, lines);
    return found;
}

}  // namespace gantry
