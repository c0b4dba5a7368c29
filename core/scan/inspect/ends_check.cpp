#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/base/median.h"
#include "core/scan/inspect/ray_assumption.h"
#include "core/scan/inspect/sinogram_checks.h"

namespace gantry {

namespace {

double meanSquareApart(std::span<const float> a, std::span<const float> b) {
    double sum = 0;
    for (std::size_t u = 0; u < a.size(); ++u)
        sum += std::pow(static_cast<double>(a[u] - b[u]), 2);
    return sum / static_cast<double>(a.size());
}

// The same with one of them mirrored, about the column near the middle that fits best.
double meanSquareMirrored(std::span<const float> a, std::span<const float> b) {
    const auto columns = std::ssize(a);
    double best = std::numeric_limits<double>::infinity();
    for (Index sum = columns / 2; sum <= 2 * (columns - 1) - columns / 2; ++sum) {
        const Index first = std::max<Index>(0, sum - columns + 1);
        const Index last = std::min(columns - 1, sum);
        double squares = 0;
        for (Index u = first; u <= last; ++u)
            squares += std::pow(static_cast<double>(a[u] - b[sum - u]), 2);
        best = std::min(best, squares / static_cast<double>(last - first + 1));
    }
    return best;
}

// How far the views are from the first one, in mean squares: as they are, and mirrored.
struct FarFromFirst {
    std::vector<double> same;
    std::vector<double> mirrored;
    double maxStep = 0;  // between neighbours
};

FarFromFirst farFromFirst(const Sinogram& sinogram) {
    FarFromFirst far;
    const std::span<const float> first = sinogram.values(0);
    for (Index view = 1; view < sinogram.views(); ++view) {
        const std::span<const float> here = sinogram.values(view);
        far.same.push_back(meanSquareApart(first, here));
        far.mirrored.push_back(meanSquareMirrored(first, here));
        far.maxStep = std::max(far.maxStep, meanSquareApart(sinogram.values(view - 1), here));
    }
    return far;
}

// Whether the last view alone is like the mirror image of the first one, and clearly not like the
// first one itself, from which it should be a step away.
bool isLastMirrored(const FarFromFirst& far) {
    constexpr double kClearly = 0.25;
    const double last = far.mirrored.back();
    const auto nearest =
        std::min_element(far.mirrored.begin() + std::ssize(far.mirrored) / 2, far.mirrored.end());
    return std::distance(nearest, far.mirrored.end()) <= 2 &&
           last < kClearly * medianOf(far.mirrored) && last < kClearly * far.same.back() &&
           far.same.back() > 2 * far.maxStep;
}

}  // namespace

std::optional<Problem> checkEnds(const ScanGeometry& geometry, const Sinogram& whole) {
    constexpr Index kMinViews = 6;
    if (!geometry.isFullCircle() || !canHaveConjugateRays(geometry) ||
        !isInOrder(geometry.angles().anglesDeg))
        return std::nullopt;
    const Sinogram sinogram = forSearches(whole);
    const auto middle = static_cast<double>(sinogram.columns() - 1) / 2;
    // What an offset detector sees from both sides is too little.
    if (sinogram.views() < kMinViews || std::abs(geometry.axisColumn() - middle) > middle / 2)
        return std::nullopt;
    const FarFromFirst far = farFromFirst(sinogram);
    if (!isLastMirrored(far)) return std::nullopt;
    return Problem{
        Problem::Severity::warning,
        geometry.angles().anglesDeg.empty() ? "trajectory.arcDeg" : "trajectory.anglesDeg",
        fmt::format(
            "the scan states {:.4g}°, but the last view is nearly the mirror image of the first "
            "one (they differ by {:.2g}, and by {:.2g} unless one is mirrored), as in an arc of "
            "180°; check the arc and the angles",
            geometry.coverageDeg(), std::sqrt(far.mirrored.back()), std::sqrt(far.same.back()))};
}

}  // namespace gantry
