#include "core/filter/redundancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/geometry/vec3.h"

namespace gantry {

namespace {

// Smooth step from 0 at x = 0 to 1 at x = width; the steps at x and width − x sum to 1.
double smoothStep(double x, double width) {
    if (x <= 0) return 0;
    if (x >= width) return 1;
    const double sine = std::sin(kPi / 2 * x / width);
    return sine * sine;
}

double smallestAngleDeg(const ScanGeometry& geometry) {
    double smallest = geometry.angleDeg(0);
    for (Index s = 1; s < geometry.views(); ++s)
        smallest = std::min(smallest, geometry.angleDeg(s));
    return smallest;
}

// Parker's weights with Silver's wider virtual fan: all of the arc in excess of 180°.
// x: degrees from the arc's beginning, γ: of the ray, so that (x, γ) and (x + 180° + 2γ, −γ) are
// the same ray.
double shortScanWeight(double arcDeg, double x, double gammaDeg) {
    const double half = (arcDeg - 180) / 2;
    if (x < 2 * (half - gammaDeg)) return smoothStep(x, 2 * (half - gammaDeg));
    if (x > 180 - 2 * gammaDeg) return smoothStep(arcDeg - x, 2 * (half + gammaDeg));
    return 1;
}

// Weight of a view when an arc goes round more than once: its directions are ramped in and out over
// the surplus part of a turn, and all views of one direction sum to 1.
double turnWeight(double arcDeg, double x) {
    const double over = std::fmod(arcDeg, 360);
    if (arcDeg <= 360) return 1;
    const auto raw = [&](double at) {
        if (at < 0 || at > arcDeg) return 0.0;
        if (over == 0) return at < arcDeg ? 1.0 : 0.0;
        return std::min(smoothStep(at, over), smoothStep(arcDeg - at, over));
    };
    double sum = 0;
    for (double at = std::fmod(x, 360); at <= arcDeg; at += 360)
        sum += raw(at);
    return sum > 0 ? raw(x) / sum : 0;
}

// The field that defines how far a scan goes round.
std::string angleField(const GantryAngles& angles) {
    return angles.anglesDeg.empty() ? "trajectory.arcDeg" : "trajectory.anglesDeg";
}

std::string angleField(const CalibratedPoses&) {
    return "trajectory.poses";
}

// The detector's outer edges, as rayAcross() measures them.
struct Reach {
    double before;
    double after;
};

Reach reachOf(const ScanGeometry& geometry) {
    const AlignedDetector detector = alignedDetector(geometry);
    const Reach reach = {-rayAcross(detector, -0.5),
                         rayAcross(detector, static_cast<double>(detector.columns) - 0.5)};
    if (reach.before <= 0 || reach.after <= 0)
        throw FieldError(
            "detector.offsetMm[0]",
            fmt::format("the rotation axis falls outside the detector: with an offset of {} mm it "
                        "is on column {:.1f}, and the columns are 0 to {}",
                        meanCircleOf(geometry).detector.offsetMm[0], geometry.axisColumn(),
                        geometry.detector.columns - 1));
    return reach;
}

void planOffsetDetector(const ScanGeometry& geometry, RedundancyPlan& plan) {
    const double middle = (static_cast<double>(geometry.detector.columns) - 1) / 2;
    const double shift = middle - geometry.axisColumn();
    plan.kind = Redundancy::offsetDetector;
    plan.longSide = shift > 0 ? 1 : -1;
    plan.neededArcDeg = 360;
    const auto missing = static_cast<Index>(std::ceil(2 * std::abs(shift) - 1e-6));
    (shift > 0 ? plan.padBefore : plan.padAfter) = missing;
    const std::string shared = plan.isParallel ? fmt::format("{:.4g} mm", 2 * plan.sharedAcross)
                                               : fmt::format("{:.3g}° fan", plan.fanAngleDeg);
    plan.reason = fmt::format(
        "full circle with an offset detector: the axis falls {:.1f} columns off the middle, so "
        "Wang weights share the {} that both sides see",
        std::abs(shift), shared);
}

void planShortScan(const ScanGeometry& geometry, RedundancyPlan& plan) {
    plan.kind = Redundancy::shortScan;
    plan.neededArcDeg = 180 + plan.fanAngleDeg;
    if (plan.arcDeg + plan.stepDeg < plan.neededArcDeg)
        throw FieldError(
            std::visit([](const auto& kind) { return angleField(kind); }, geometry.trajectory),
            fmt::format("an arc of {:.6g}° is too short for the fan of {:.4g}°; it needs at least "
                        "{:.6g}°",
                        plan.arcDeg, plan.fanAngleDeg, plan.neededArcDeg));
    plan.reason = fmt::format(
        "short scan: the arc of {:.6g}° (at least {:.6g}° needed for the fan of {:.3g}°) measures "
        "some rays twice, so Parker weights share them",
        plan.arcDeg, plan.neededArcDeg, plan.fanAngleDeg);
}

void planParallel(const ScanGeometry& geometry, RedundancyPlan& plan) {
    plan.neededArcDeg = 180;
    if (geometry.isHalfCircle()) {
        plan.kind = Redundancy::halfCircle;
        plan.reason = "half a turn of parallel rays: every ray is measured once";
    } else if (plan.arcDeg < 180) {
        plan.kind = Redundancy::halfCircle;
        plan.reason = fmt::format(
            "parallel rays over {:.6g}°, less than half a turn: no ray is measured twice, and some "
            "are missing",
            plan.arcDeg);
    } else {
        plan.kind = Redundancy::shortScan;
        plan.reason = fmt::format(
            "parallel rays over {:.6g}°: what is beyond half a turn measures rays twice, so Parker "
            "weights share them",
            plan.arcDeg);
    }
}

// About an axis that leans along the beam no ray is measured again from the other side, so no ray
// shares its weight with another one and only a full turn measures all.
void sayTiltedAxis(const ScanGeometry& geometry, RedundancyPlan& plan) {
    if (!geometry.isLaminography()) return;
    plan.neededArcDeg = 360;
    plan.reason = fmt::format("{:.6g}° of parallel rays about an axis that leans along the beam: ",
                              plan.arcDeg);
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
void sayOwnRays(const ScanGeometry& geometry, RedundancyPlan& plan) {
    const CalibratedPoses* poses = geometry.poses();
    if (!poses) return;
    plan.reason += fmt::format(
        "; calibrated poses: each view by its own angle about the mean circle's axis, from which "
        "sources lie {:.3g} mm off on average",
        poses->meanCircle().sourceRmsMm);
}

}  // namespace

double rayAcross(const AlignedDetector& detector, double u) {
    if (detector.isParallel()) return detector.columnMm(u);
    return std::atan(detector.columnMm(u) / detector.distanceMm) -
           std::atan(detector.axisMm / detector.distanceMm);
}

double rayAcross(const ViewRays& rays, Index columns, double u) {
    const double uMm =
        (u - (static_cast<double>(columns) - 1) / 2) * rays.pitchMm[0] + rays.centerMm[0];
    if (std::isinf(rays.distanceMm)) return uMm;
    return std::atan2(uMm, rays.distanceMm) - std::atan2(rays.toAxisMm[0], rays.toAxisMm[2]);
}

RedundancyPlan planRedundancy(const ScanGeometry& declared) {
    const Reach reach = reachOf(declared);
    RedundancyPlan plan;
    plan.isParallel = declared.isParallel();
    plan.sharedAcross = std::min(reach.before, reach.after);
    if (!plan.isParallel) plan.fanAngleDeg = 2 * degrees(plan.sharedAcross);
    plan.firstDeg = smallestAngleDeg(declared);
    plan.arcDeg = declared.coverageDeg();
    plan.stepDeg = plan.arcDeg / static_cast<double>(declared.views());
    if (!declared.isFullCircle() && plan.isParallel) {
        planParallel(declared, plan);
        sayTiltedAxis(declared, plan);
        return plan;
    }
    if (!declared.isFullCircle()) {
        planShortScan(declared, plan);
        sayOwnRays(declared, plan);
        return plan;
    }
    const double wholeTurns = 360 * std::round(plan.arcDeg / 360);
    if (std::abs(plan.arcDeg - wholeTurns) <= plan.stepDeg) plan.arcDeg = wholeTurns;

    if (declared.hasOffsetDetector()) {
        planOffsetDetector(declared, plan);
    } else {
        plan.neededArcDeg = 180 + plan.fanAngleDeg;
        plan.reason = "full circle: every ray is measured from both sides, each weighs one half";
    }
    sayTiltedAxis(declared, plan);
    if (plan.arcDeg > 360)
        plan.reason +=
            fmt::format("; views beyond the first turn of {:.6g}° share weight", plan.arcDeg);
    sayOwnRays(declared, plan);
    return plan;
}

double redundancyWeightAt(const RedundancyPlan& plan, double angleDeg, double rayAcross) {
    const double x = angleDeg - plan.firstDeg + plan.stepDeg / 2;
    switch (plan.kind) {
        case Redundancy::shortScan:
            return shortScanWeight(plan.arcDeg, x, plan.isParallel ? 0 : -degrees(rayAcross));
        case Redundancy::fullCircle:
            return turnWeight(plan.arcDeg, x) / 2;
        case Redundancy::offsetDetector:
            return turnWeight(plan.arcDeg, x) *
                   smoothStep(plan.longSide * rayAcross + plan.sharedAcross, 2 * plan.sharedAcross);
        case Redundancy::halfCircle:
            return 1;
    }
    throw InternalError("a kind of redundancy without weights");
}

AlignedViews alignedViews(const ScanGeometry& declared, const RedundancyPlan& plan,
                          const std::vector<Index>& leftOut, FilterRows rows) {
    return alignedViews(
        declared,
        {.padBefore = plan.padBefore, .padAfter = plan.padAfter, .leftOut = leftOut, .rows = rows});
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
