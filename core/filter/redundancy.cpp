#include "core/filter/redundancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/throw_error.h"
#include "core/geometry/check/validate.h"
#include "core/geometry/vec3.h"

namespace gantry {

namespace {

constexpr double kMinArcDeg = 10;

void checkAxis(const ScanGeometry& geometry, const RayCover& cover) {
    if (cover.reachBefore() > 0 && cover.reachAfter() > 0) return;
    throwErrorOf<FieldError>(
        "detector.offsetMm[0]",
        "the rotation axis falls outside the detector: with an offset of {} mm it "
        "is on column {:.1f}, and the columns are 0 to {}",
        meanCircleOf(geometry).detector.offsetMm[0], geometry.axisColumn(),
        geometry.detector.columns - 1);
}

void planOffsetDetector(const ScanGeometry& geometry, double arcDeg, RedundancyPlan& plan) {
    const double middle = (static_cast<double>(geometry.detector.columns) - 1) / 2;
    const double shift = middle - geometry.axisColumn();
    plan.kind = Redundancy::offsetDetector;
    plan.neededArcDeg = 360;
    const auto missing = static_cast<Index>(std::ceil(2 * std::abs(shift) - 1e-6));
    (shift > 0 ? plan.padBefore : plan.padAfter) = missing;
    const double sharedMm = 2 * std::min(plan.cover.reachBefore(), plan.cover.reachAfter());
    const std::string shared = geometry.isParallel() ? fmt::format("{:.4g} mm", sharedMm)
                                                     : fmt::format("{:.3g}° fan", plan.fanAngleDeg);
    plan.reason = fmt::format(
        "{} with an offset detector: the axis falls {:.1f} columns off the middle, so Wang weights "
        "share the {} that both sides see",
        plan.cover.isClosed() || arcDeg >= 360 ? "full circle"
                                               : fmt::format("{:.6g}° of a turn", arcDeg),
        std::abs(shift), shared);
}

void planCircle(RedundancyPlan& plan) {
    plan.kind = Redundancy::fullCircle;
    const bool isCentred = plan.cover.reachBefore() == plan.cover.reachAfter();
    plan.reason =
        fmt::format("full circle: every ray is measured from both sides, each weighs {}one half",
                    isCentred ? "" : "about ");
}

void planShortScan(double arcDeg, RedundancyPlan& plan) {
    plan.kind = Redundancy::shortScan;
    plan.reason = fmt::format(
        "short scan: the arc of {:.6g}° (at least {:.6g}° needed for the fan of {:.3g}°) measures "
        "some rays twice, so Parker weights share them",
        arcDeg, plan.neededArcDeg, plan.fanAngleDeg);
}

void planParallel(const ScanGeometry& geometry, double arcDeg, RedundancyPlan& plan) {
    plan.kind = Redundancy::halfCircle;
    if (geometry.isHalfCircle() && arcDeg > 180 - 1.5 * plan.cover.stepDeg()) {
        plan.reason = plan.cover.missing() ? "half a turn of parallel rays: none is measured twice"
                                           : "half a turn of parallel rays: every ray is measured "
                                             "once";
    } else if (arcDeg < 180) {
        plan.reason = fmt::format(
            "parallel rays over {:.6g}°, less than half a turn: no ray is measured twice, and some "
            "are missing",
            arcDeg);
    } else {
        plan.kind = Redundancy::shortScan;
        plan.reason = fmt::format(
            "parallel rays over {:.6g}°: what is beyond half a turn measures rays twice, so Parker "
            "weights share them",
            arcDeg);
    }
}

// About an axis that leans along the beam no ray is measured again from the other side, so no ray
// shares its weight with another one and only a full turn measures all.
void noteTiltedAxis(const ScanGeometry& geometry, double arcDeg, RedundancyPlan& plan) {
    if (!geometry.isLaminography()) return;
    plan.neededArcDeg = 360;
    plan.reason =
        fmt::format("{:.6g}° of parallel rays about an axis that leans along the beam: ", arcDeg);
    switch (plan.kind) {
        case Redundancy::fullCircle:
            plan.reason += "every ray is measured once, and all views weigh the same";
            break;
        case Redundancy::shortScan:
            plan.reason += "some rays are missing, and Parker weights let both ends fade";
            break;
        default:
            plan.reason += "some rays are missing, and all views weigh the same";
    }
}

// Conjugate rays of views that are not on one circle do not coincide exactly, so their weights sum
// to 1 only approximately.
void noteOwnRays(const ScanGeometry& geometry, RedundancyPlan& plan) {
    const CalibratedPoses* poses = geometry.poses();
    if (!poses) return;
    plan.reason += fmt::format(
        "; calibrated poses: each view by its own angle about the mean circle's axis, from which "
        "sources lie {:.3g} mm off on average",
        poses->meanCircle().sourceRmsMm);
}

// The estimated columns count as measured: they continue what the views show.
void extend(const ScanGeometry& declared, const std::vector<Index>& leftOut,
            const RowExtension& extension, RedundancyPlan& plan) {
    plan.extension = extension;
    if (plan.padBefore > 0) plan.extension.before = 0;
    if (plan.padAfter > 0) plan.extension.after = 0;
    plan.padBefore = std::max(plan.padBefore, extension.shownBefore);
    plan.padAfter = std::max(plan.padAfter, extension.shownAfter);
    if (plan.extension.any())
        plan.cover = RayCover(declared, leftOut, {plan.extension.before, plan.extension.after});
}

// What an arc is that would be half a turn or a whole one in radians.
std::string radiansHint(double arcDeg) {
    const double turned = degrees(arcDeg);
    if (std::min(std::abs(turned / 180 - 1), std::abs(turned / 360 - 1)) > 0.03) return {};
    return fmt::format("; {:.4g} radians would be {:.4g}°, and these are degrees", arcDeg, turned);
}

}  // namespace

RedundancyPlan planRedundancy(const ScanGeometry& declared, const std::vector<Index>& leftOut,
                              const RowExtension& extension) {
    RedundancyPlan plan;
    plan.cover = RayCover(declared, leftOut);
    checkAxis(declared, plan.cover);
    const double arcDeg = plan.cover.coverageDeg();
    if (arcDeg < kMinArcDeg)
        throwErrorOf<FieldError>(
            arcField(declared),
            "an arc of {:.6g}° shows the object from one side alone; at least {}° are "
            "needed to tell anything along the rays{}",
            arcDeg, kMinArcDeg, radiansHint(arcDeg));
    const bool isParallel = declared.isParallel();
    if (!isParallel)
        plan.fanAngleDeg = 2 * degrees(std::min(plan.cover.reachBefore(), plan.cover.reachAfter()));
    plan.neededArcDeg = 180 + plan.fanAngleDeg;
    if (plan.cover.reachesToFartherEdge())
        planOffsetDetector(declared, arcDeg, plan);
    else if (plan.cover.isClosed() || arcDeg > 360)
        planCircle(plan);
    else if (isParallel)
        planParallel(declared, arcDeg, plan);
    else
        planShortScan(arcDeg, plan);
    noteTiltedAxis(declared, arcDeg, plan);
    if (arcDeg > 360 + plan.cover.stepDeg())
        plan.reason += fmt::format("; views beyond the first turn of {:.6g}° share weight", arcDeg);
    noteOwnRays(declared, plan);
    if (const auto missing = plan.cover.missing(); missing && !declared.isLaminography())
        plan.reason += "; but " + describe(*missing);
    extend(declared, leftOut, extension, plan);
    return plan;
}

AlignedViews alignedViews(const ScanGeometry& declared, const RedundancyPlan& plan,
                          const std::vector<Index>& leftOut, FilterRows rows) {
    AlignedViews aligned = alignedViews(
        declared,
        {.padBefore = plan.padBefore, .padAfter = plan.padAfter, .leftOut = leftOut, .rows = rows});
    if (rows == FilterRows::rtk) return aligned;  // Δβ is RTK's, too
    std::vector<double> shares = plan.cover.sharesRad();
    for (const Index view : leftOut)
        shares[view] = -1;
    std::erase(shares, -1);
    aligned.weightsRad = std::move(shares);
    return aligned;
}

void padRowsInPlace(const RedundancyPlan& plan, Span3<float> view) {
    if (plan.padBefore == 0 && plan.padAfter == 0) return;
    const Index columns = view.size(2) - plan.padBefore - plan.padAfter;
    // It begins at the last row, so that no row is overwritten before it is moved.
    for (Index row = view.size(0) * view.size(1) - 1; row >= 0; --row) {
        float* to = view.data() + row * view.size(2);
        const float* from = view.data() + row * columns;
        std::copy_backward(from, from + columns, to + plan.padBefore + columns);
        std::fill(to, to + plan.padBefore, 0.0f);
        std::fill(to + plan.padBefore + columns, to + view.size(2), 0.0f);
    }
}

}  // namespace gantry
