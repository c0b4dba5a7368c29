#include "core/scan/inspect/sinogram_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "core/base/median.h"
#include "core/scan/inspect/ray_assumption.h"
#include "core/scan/inspect/shift_check.h"

namespace gantry {

namespace {

using MotionProfile = std::vector<double>;

Problem movementProblem(std::string sentence) {
    return {Problem::Severity::warning, "projections.files", std::move(sentence)};
}

MotionProfile profileOf(const Sinogram& sinogram, Index view) {
    const std::span<const float> values = sinogram.values(view);
    return {values.begin(), values.end()};
}

// The mean square of what differs from the mean over the columns.
double profileVariance(const MotionProfile& profile) {
    double sum = 0;
    double squares = 0;
    for (const double value : profile) {
        sum += value;
        squares += value * value;
    }
    const auto count = static_cast<double>(profile.size());
    return squares / count - (sum / count) * (sum / count);
}

MotionProfile meanProfile(const Sinogram& sinogram) {
    MotionProfile mean(sinogram.binnedColumns());
    for (Index view = 0; view < sinogram.views(); ++view) {
        const std::span<const float> values = sinogram.values(view);
        for (std::size_t u = 0; u < mean.size(); ++u)
            mean[u] += static_cast<double>(values[u]) / static_cast<double>(sinogram.views());
    }
    return mean;
}

// The mean square by which a profile differs from its mirror image, about the column where it does
// so the least.
double leastAsymmetry(const MotionProfile& profile) {
    const auto count = std::ssize(profile);
    double least = std::numeric_limits<double>::infinity();
    // The sum of the two columns that lie on each other.
    for (Index sum = count / 2; sum < 3 * count / 2; ++sum) {
        const Index first = std::max<Index>(0, sum - count + 1);
        const Index last = std::min(count - 1, sum);
        double squares = 0;
        for (Index u = first; u <= last; ++u)
            squares += std::pow(profile[u] - profile[sum - u], 2);
        least = std::min(least, squares / static_cast<double>(last - first + 1));
    }
    return least;
}

// How much changes from each view to the next, for each usual step between them, without what noise
// adds. A beam that is weaker changes nothing. NaN: they are not neighbours.
std::vector<double> changesOf(const Sinogram& sinogram) {
    constexpr double kMinStep = 0.1;
    constexpr double kMaxStep = 3.1;
    std::vector<double> changes;
    for (Index view = 0; view + 1 < sinogram.views(); ++view) {
        const double steps = (sinogram.angleDeg(view + 1) - sinogram.angleDeg(view)) /
                             std::max(sinogram.stepDeg(), 1e-9);
        if (steps < kMinStep || steps > kMaxStep) {
            changes.push_back(std::numeric_limits<double>::quiet_NaN());
            continue;
        }
        MotionProfile apart = profileOf(sinogram, view + 1);
        const std::span<const float> here = sinogram.values(view);
        for (std::size_t u = 0; u < apart.size(); ++u)
            apart[u] -= static_cast<double>(here[u]);
        const double much = std::max(1.0, steps);
        changes.push_back((profileVariance(apart) - 2 * sinogram.noise()) / (much * much));
    }
    return changes;
}

// The largest change up to three steps away; none: there are too few.
std::optional<double> largestAround(const std::vector<double>& changes, std::size_t at) {
    constexpr std::size_t kAround = 3;
    double largest = 0;
    std::size_t found = 0;
    for (std::size_t i = at - std::min(at, kAround);
         i <= std::min(changes.size() - 1, at + kAround); ++i) {
        if (i == at || std::isnan(changes[i])) continue;
        largest = std::max(largest, changes[i]);
        ++found;
    }
    return found >= kAround ? std::optional(largest) : std::nullopt;
}

// Numbers of views, in the order of their angles, behind which a jump is.
std::vector<std::size_t> jumpsIn(const std::vector<double>& changes, double visible,
                                 double uncertainty) {
    constexpr double kMuch = 6;
    std::vector<std::size_t> jumps;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        if (!(changes[i] > visible) || !(changes[i] > 8 * uncertainty)) continue;
        const std::optional<double> around = largestAround(changes, i);
        if (around && changes[i] > kMuch * std::max(*around, uncertainty)) jumps.push_back(i);
    }
    return jumps;
}

// The longest run of steps in which nothing changes, as [first, last + 1) views of the same side.
// It begins and ends at once; where an object turns back at the side, it is slow before and after,
// too.
IndexRange standingIn(const std::vector<double>& changes, double uncertainty) {
    constexpr Index kMinSteps = 3;
    std::vector<double> usual;
    for (const double change : changes)
        if (!std::isnan(change)) usual.push_back(change);
    if (usual.size() < 16) return {0, 0};
    const double median = medianOf(std::move(usual));
    if (median < 20 * uncertainty) return {0, 0};
    const auto isUsual = [&](Index step) {
        return step < 0 || step >= std::ssize(changes) || changes[step] > 0.3 * median;
    };
    IndexRange longest{0, 0};
    for (Index i = 0; i < std::ssize(changes);) {
        Index end = i;
        while (end < std::ssize(changes) && changes[end] < 0.02 * median + 3 * uncertainty)
            ++end;
        if (end - i >= kMinSteps && end - i + 1 > longest.size() && isUsual(i - 1) && isUsual(end))
            longest = {i, end + 1};
        i = end + 1;
    }
    return 2 * longest.size() < std::ssize(changes) ? longest : IndexRange{0, 0};
}

// The number in the trajectory of a view by its place in the order of angles.
Index numberOf(const ScanGeometry& geometry, const Sinogram& sinogram, Index place) {
    const double angle = sinogram.angleDeg(place);
    Index nearest = 0;
    for (Index s = 0; s < geometry.views(); ++s)
        if (std::abs(geometry.angleDeg(s) - angle) < std::abs(geometry.angleDeg(nearest) - angle))
            nearest = s;
    return nearest;
}

std::string jumpText(const ScanGeometry& geometry, const Sinogram& sinogram,
                     const std::vector<double>& changes, std::size_t at) {
    const auto view = static_cast<Index>(at);
    const Index one = numberOf(geometry, sinogram, view);
    const Index other = numberOf(geometry, sinogram, view + 1);
    const double steps =
        std::sqrt(changes[at] / std::max(*largestAround(changes, at), 1e-6 * changes[at]));
    const double shift = shiftBetween(profileOf(sinogram, view), profileOf(sinogram, view + 1)) *
                         static_cast<double>(sinogram.binning());
    return fmt::format("{} and {} ({} times as much as between the views around them{})",
                       std::min(one, other), std::max(one, other),
                       steps > 99 ? "over 99" : fmt::format("{:.0f}", steps),
                       std::abs(shift) >= 1 ? fmt::format(", by {:.1f} px", std::abs(shift)) : "");
}

}  // namespace

std::optional<Problem> checkStandstill(const ScanGeometry& geometry, const Sinogram& sinogram) {
    constexpr double kMinArcDeg = 90;
    constexpr Index kMinViews = 8;
    if (!geometry.hasAngles() || geometry.coverageDeg() < kMinArcDeg ||
        sinogram.views() < kMinViews || sinogram.binnedColumns() < 8)
        return std::nullopt;
    const MotionProfile mean = meanProfile(sinogram);
    const double shown = profileVariance(mean);
    if (shown < 20 * sinogram.noise() || !(shown > 1e-8) ||
        sinogram.moving() > std::max(0.3 * sinogram.noise(), 1e-5 * shown) ||
        sinogram.moving() > 1e-3 * shown || leastAsymmetry(mean) < 0.02 * shown)
        return std::nullopt;
    return movementProblem(fmt::format(
        "all {} views are alike but for noise, although what they show is not symmetrical: nothing "
        "turned over the stated {:.4g}°. Check that the stage moved, and that the files are not "
        "copies of one view; scan again",
        sinogram.views(), geometry.coverageDeg()));
}

std::optional<Problem> checkJumps(const ScanGeometry& geometry, const Sinogram& sinogram) {
    constexpr Index kMinViews = 24;
    constexpr std::size_t kMaxJumps = 4;
    if (!geometry.hasAngles() || !isInOrder(geometry.angles().anglesDeg) ||
        sinogram.views() < kMinViews || 10 * sinogram.views() < 9 * geometry.views())
        return std::nullopt;
    const std::vector<double> changes = changesOf(sinogram);
    const double visible = 1e-3 * profileVariance(meanProfile(sinogram));
    const double uncertainty =
        3 * sinogram.noise() * std::sqrt(2 / static_cast<double>(sinogram.binnedColumns()));
    const IndexRange standing = standingIn(changes, uncertainty);
    // Where an object leaves these rows for a while, nothing is there that could change.
    if (!standing.empty() && profileVariance(profileOf(sinogram, standing.begin)) > visible) {
        const Index one = numberOf(geometry, sinogram, standing.begin);
        const Index other = numberOf(geometry, sinogram, standing.end - 1);
        return movementProblem(fmt::format(
            "views {} to {} show the same side but for noise, where their neighbours differ: the "
            "stage stood still, or a view was stored again and again. Leave them out with "
            "skipViews, and check the angles of those behind them",
            std::min(one, other), std::max(one, other)));
    }
    const std::vector<std::size_t> jumps = jumpsIn(changes, visible, uncertainty);
    if (jumps.empty() || jumps.size() > kMaxJumps) return std::nullopt;
    std::string places;
    for (const std::size_t jump : jumps)
        places += (places.empty() ? "" : ", and between views ") +
                  jumpText(geometry, sinogram, changes, jump);
    return movementProblem(fmt::format(
        "the picture jumps between views {}: the object or the stage slipped there, and edges "
        "come out double. Scan again, or leave out the views of {} with skipViews if the "
        "others are enough",
        places, jumps.size() == 1 ? "one side of the jump" : "the shorter stretch"));
}

}  // namespace gantry
