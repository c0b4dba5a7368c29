#include "core/align/view_shift.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace gantry {

namespace {

// Pixels, standard deviation, on every level.
constexpr double kSmoothing = 2;
// The coarsest level is the first whose longer side is not more than this.
constexpr Index kCoarsePixels = 64;
// A level of fewer rows or columns is not halved.
constexpr Index kMinHalved = 32;
// Parts of the picture along each axis whose disagreement gives the uncertainty.
constexpr Index kTiles = 4;

using Shift = std::array<double, 2>;

ViewStack halved(const ViewStack& views) {
    ViewStack half;
    half.views = views.views;
    half.firstRow = views.firstRow;
    half.rows = views.rows / 2;
    half.columns = views.columns / 2;
    half.binning = {2 * views.binning[0], 2 * views.binning[1]};
    half.pixels = HostBuffer<float>(std::ssize(half.views) * half.rows * half.columns);
    for (Index s = 0; s < std::ssize(half.views); ++s)
        binView(views.span().slices({s, s + 1}), {2, 2},
                {half.pixels.data() + s * half.rows * half.columns, 1, half.rows, half.columns});
    return half;
}

// Near an edge a smoothed view has been continued beyond it.
Index marginOf(Index pixels) {
    return std::min<Index>(static_cast<Index>(2 * kSmoothing), pixels / 8);
}

// Pixels of the moved view that the fixed one sees after a shift, along one axis; `before` and
// `after` are the neighbours that are needed besides.
IndexRange overlap(Index pixels, double shift, Index before, Index after) {
    const Index margin = marginOf(pixels);
    const auto whole = static_cast<Index>(std::floor(-shift));
    return {std::max(margin, margin - whole + before),
            std::min(pixels - margin, pixels - margin - whole - after)};
}

// The correlation of both views after a shift by whole pixels; −1 where they share nothing.
double correlation(Span3<const float> moved, Span3<const float> fixed,
                   const std::array<Index, 2>& shift) {
    const IndexRange columns = overlap(moved.size(2), static_cast<double>(shift[0]), 0, 0);
    const IndexRange rows = overlap(moved.size(1), static_cast<double>(shift[1]), 0, 0);
    double n = 0;
    double a = 0;
    double b = 0;
    double aa = 0;
    double bb = 0;
    double ab = 0;
    for (Index v = rows.begin; v < rows.end; ++v) {
        const float* x = moved.row(0, v);
        const float* y = fixed.row(0, v - shift[1]) - shift[0];
        for (Index u = columns.begin; u < columns.end; ++u) {
            const double p = x[u];
            const double q = y[u];
            n += 1;
            a += p;
            b += q;
            aa += p * p;
            bb += q * q;
            ab += p * q;
        }
    }
    const double spread = (n * aa - a * a) * (n * bb - b * b);
    return spread > 0 ? (n * ab - a * b) / std::sqrt(spread) : -1;
}

Shift bestWholeShift(Span3<const float> moved, Span3<const float> fixed, double scale) {
    const auto reach = [&](int axis) {
        const Index pixels = moved.size(axis);
        return static_cast<Index>(
            std::ceil(maxShiftPx(static_cast<Index>(static_cast<double>(pixels) * scale)) / scale));
    };
    const Index reachU = reach(2);
    const Index reachV = reach(1);
    Shift best = {0, 0};
    double score = -2;
    // Noise must not move the view along an axis without structure.
    constexpr double kCostOfFarthest = 2e-3;
    for (Index v = -reachV; v <= reachV; ++v)
        for (Index u = -reachU; u <= reachU; ++u) {
            const Shift shift = {static_cast<double>(u), static_cast<double>(v)};
            const double cost =
                kCostOfFarthest * (std::pow(shift[0] / static_cast<double>(reachU), 2) +
                                   std::pow(shift[1] / static_cast<double>(reachV), 2));
            const double here = correlation(moved, fixed, {u, v}) - cost;
            if (here > score) {
                score = here;
                best = shift;
            }
        }
    return best;
}

// What a pixel says: how the fixed view changes with a shift along u and v, the six terms of a
// quadratic background, by how much the moved view is larger, and the moved view itself.
constexpr int kDifference = 8;
constexpr int kMoved = 9;
using Row = Eigen::Matrix<double, 10, 1>;
using Moments = Eigen::Matrix<double, 10, 10>;

// The fixed view, shifted: [v][u] of these rows and columns.
struct Shifted {
    IndexRange rows;
    IndexRange columns;
    std::vector<double> values;

    [[nodiscard]] const double* row(Index v) const {
        return values.data() + (v - rows.begin) * columns.size() - columns.begin;
    }
};

Shifted shiftedPicture(Span3<const float> fixed, const Shift& shift) {
    Shifted picture;
    picture.columns = overlap(fixed.size(2), shift[0], 0, 1);
    picture.rows = overlap(fixed.size(1), shift[1], 0, 1);
    const auto wholeU = static_cast<Index>(std::floor(-shift[0]));
    const auto wholeV = static_cast<Index>(std::floor(-shift[1]));
    const double partU = -shift[0] - static_cast<double>(wholeU);
    const double partV = -shift[1] - static_cast<double>(wholeV);
    for (Index v = picture.rows.begin; v < picture.rows.end; ++v) {
        const float* lower = fixed.row(0, v + wholeV);
        const float* upper = fixed.row(0, v + wholeV + 1);
        for (Index u = picture.columns.begin + wholeU; u < picture.columns.end + wholeU; ++u)
            picture.values.push_back(
                std::lerp(std::lerp(double{lower[u]}, double{lower[u + 1]}, partU),
                          std::lerp(double{upper[u]}, double{upper[u + 1]}, partU), partV));
    }
    return picture;
}

// Sums of the products of all that the pixels of a tile say; tiles without pixels are left out.
std::vector<Moments> momentsOfTiles(Span3<const float> moved, Span3<const float> fixed,
                                    const Shift& shift) {
    const Shifted picture = shiftedPicture(fixed, shift);
    const IndexRange rows = {picture.rows.begin + 1, picture.rows.end - 1};
    const IndexRange columns = {picture.columns.begin + 1, picture.columns.end - 1};
    if (rows.empty() || columns.empty()) return {};
    const auto middle = [](IndexRange range, Index i) {
        return 2 * static_cast<double>(i - range.begin) / static_cast<double>(range.size()) - 1;
    };
    std::vector<Moments> tiles(kTiles * kTiles, Moments::Zero());
    std::vector<bool> isUsed(tiles.size());
    Row row;
    for (Index v = rows.begin; v < rows.end; ++v) {
        const double y = middle(rows, v);
        const double* below = picture.row(v - 1);
        const double* here = picture.row(v);
        const double* above = picture.row(v + 1);
        const Index tileRow = (v - rows.begin) * kTiles / rows.size() * kTiles;
        for (Index u = columns.begin; u < columns.end; ++u) {
            const double x = middle(columns, u);
            const double value = moved(0, v, u);
            row << (here[u - 1] - here[u + 1]) / 2, (below[u] - above[u]) / 2, 1, x, y, x * x,
                x * y, y * y, value - here[u], value;
            const Index tile = tileRow + (u - columns.begin) * kTiles / columns.size();
            tiles[tile].selfadjointView<Eigen::Lower>().rankUpdate(row);
            isUsed[tile] = true;
        }
    }
    std::vector<Moments> used;
    for (std::size_t i = 0; i < tiles.size(); ++i)
        if (isUsed[i]) used.push_back(tiles[i].selfadjointView<Eigen::Lower>());
    return used;
}

// A column of the moments as a sum of others, by least squares.
struct Fit {
    Eigen::VectorXd factors;
    double unexplained = 0;  // sum of squares
};

Fit fitOf(int column, const std::vector<int>& by, const Moments& sums) {
    const Eigen::VectorXd right = sums(by, column);
    Eigen::MatrixXd square = sums(by, by);
    Eigen::VectorXd scale = square.diagonal().cwiseSqrt();
    for (double& s : scale)
        s = s > 0 ? 1 / s : 0;
    square = (scale.asDiagonal() * square * scale.asDiagonal()).eval();
    // A view of two or three rows does not tell all terms of the background.
    square.diagonal().array() += 1e-10;
    Fit fit;
    fit.factors = scale.cwiseProduct(square.ldlt().solve(scale.cwiseProduct(right)));
    fit.unexplained = sums(column, column) - fit.factors.dot(right);
    return fit;
}

// The axes along which there is structure, and with them the background.
struct Unknowns {
    std::vector<int> axes;
    std::vector<int> columns;
};
Unknowns unknownsOf(std::vector<int> axes) {
    Unknowns unknowns{axes, std::move(axes)};
    for (int i = 2; i < kDifference; ++i)
        unknowns.columns.push_back(i);
    return unknowns;
}

// How the smoothed noise of a view changes from pixel to pixel has this share of the variance that
// the difference of two such views has. Structure has to be well above it.
bool isStructured(int axis, const Moments& sums) {
    const double ofNoise = (1 - std::exp(-1 / (kSmoothing * kSmoothing))) / 4;
    constexpr double kTimes = 3;
    return fitOf(axis, unknownsOf({1 - axis}).columns, sums).unexplained >
           kTimes * ofNoise * fitOf(kDifference, unknownsOf({0, 1}).columns, sums).unexplained;
}

Unknowns toldBy(const Moments& sums) {
    std::vector<int> axes;
    for (const int axis : {0, 1})
        if (isStructured(axis, sums)) axes.push_back(axis);
    return unknownsOf(std::move(axes));
}

Moments sumOf(const std::vector<Moments>& tiles) {
    Moments sum = Moments::Zero();
    for (const Moments& tile : tiles)
        sum += tile;
    return sum;
}

// Moves the shift until the views agree best, along the axes that have structure; false where it
// leaves the range or never settles.
bool refine(Span3<const float> moved, Span3<const float> fixed, Shift& shift) {
    constexpr int kMaxSteps = 20;
    constexpr double kSettledPx = 1e-3;
    const Shift limit = {1.1 * maxShiftPx(moved.size(2)), 1.1 * maxShiftPx(moved.size(1))};
    for (int step = 0; step < kMaxSteps; ++step) {
        const std::vector<Moments> tiles = momentsOfTiles(moved, fixed, shift);
        if (tiles.empty()) return false;
        const Moments sums = sumOf(tiles);
        const Unknowns unknowns = toldBy(sums);
        const Fit change = fitOf(kDifference, unknowns.columns, sums);
        double max = 0;
        for (std::size_t i = 0; i < unknowns.axes.size(); ++i) {
            const int axis = unknowns.axes[i];
            // Farther than its smoothing a picture is not linear.
            const double by = change.factors[static_cast<Eigen::Index>(i)];
            shift[axis] += std::clamp(by, -kSmoothing, kSmoothing);
            if (!(std::abs(shift[axis]) <= limit[axis])) return false;
            max = std::max(max, std::abs(by));
        }
        if (max < kSettledPx) return true;
    }
    return false;
}

// The jackknife: how the shift changes as one tile after the other is left out.
Shift uncertaintyOf(const std::vector<Moments>& tiles, const Moments& sums) {
    const Unknowns unknowns = toldBy(sums);
    const auto n = static_cast<double>(tiles.size());
    Shift result = ViewShift().uncertaintyPx;
    for (std::size_t i = 0; i < unknowns.axes.size(); ++i) {
        std::vector<double> changes;
        changes.reserve(tiles.size());
        for (const Moments& tile : tiles)
            changes.push_back(fitOf(kDifference, unknowns.columns, sums - tile)
                                  .factors[static_cast<Eigen::Index>(i)]);
        const double mean = std::accumulate(changes.begin(), changes.end(), 0.0) / n;
        double squares = 0;
        for (const double change : changes)
            squares += (change - mean) * (change - mean);
        result[unknowns.axes[i]] = std::sqrt((n - 1) / n * squares);
    }
    return result;
}

double likenessOf(const Moments& sums) {
    const double structure = fitOf(kMoved, unknownsOf({}).columns, sums).unexplained;
    const double left = fitOf(kDifference, unknownsOf({0, 1}).columns, sums).unexplained;
    return structure > 0 ? 1 - left / structure : 0;
}

}  // namespace

double maxShiftPx(Index pixels) {
    const auto n = static_cast<double>(pixels);
    return std::min(std::max(24.0, n / 8), 0.4 * n);
}

ViewPyramid::ViewPyramid(ViewStack views, int threads) {
    m_levels.push_back(std::move(views));
    const auto isCoarse = [](const ViewStack& level) {
        return std::max(level.rows, level.columns) <= kCoarsePixels ||
               std::min(level.rows, level.columns) < kMinHalved;
    };
    while (!isCoarse(m_levels.back()))
        m_levels.push_back(halved(m_levels.back()));
    for (ViewStack& level : m_levels)
        smooth(level, kSmoothing, threads);
}

ViewShift shiftBetween(const ViewPyramid& movedViews, Index moved, const ViewPyramid& fixedViews,
                       Index fixed) {
    const auto movedAt = [&](Index i) { return movedViews.level(i).slices({moved, moved + 1}); };
    const auto fixedAt = [&](Index i) { return fixedViews.level(i).slices({fixed, fixed + 1}); };
    const Index coarsest = movedViews.levels() - 1;
    const double scale = std::exp2(static_cast<double>(coarsest));
    ViewShift result;
    Shift& shift = result.px;
    shift = bestWholeShift(movedAt(coarsest), fixedAt(coarsest), scale);
    for (Index i = coarsest; i >= 0; --i) {
        if (!refine(movedAt(i), fixedAt(i), shift)) return result;
        if (i > 0) shift = {2 * shift[0], 2 * shift[1]};
    }
    const std::vector<Moments> tiles = momentsOfTiles(movedAt(0), fixedAt(0), shift);
    const Moments sums = sumOf(tiles);
    result.likeness = likenessOf(sums);
    if (tiles.size() >= kTiles) result.uncertaintyPx = uncertaintyOf(tiles, sums);
    return result;
}

}  // namespace gantry
