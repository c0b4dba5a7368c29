#include "core/plan/filter_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/geometry/check/validate.h"
#include "core/geometry/vec3.h"
#include "core/plan/device_choice.h"

namespace gantry {

namespace {

// Rows that are rolled about the beam weigh frequencies along the axis by the roll's tangent, with
// opposite signs in opposite views. Where these share a ray evenly that cancels out; otherwise
// levels are off by about 1 % for each degree.
constexpr double kMaxRollDeg = 0.2;

bool shareEvenly(const RedundancyPlan& plan) {
    return plan.kind == Redundancy::fullCircle && plan.cover.isClosed();
}

bool areOwnRowsExact(const ScanGeometry& declared) {
    if (std::abs(declared.detector.rollDeg) <= kMaxRollDeg) return true;
    for (const Problem& problem : validate(declared))
        if (problem.severity == Problem::Severity::error) return true;  // it is not opened anyway
    try {
        return shareEvenly(planRedundancy(declared));
    } catch (const InputError&) {
        return true;
    }
}

// How far the views' rows leave the plane that is perpendicular to z.
double maxRollOf(const AlignedViews& views) {
    double max = 0;
    for (const ProjectionMatrix& matrix : views.matrices) {
        const auto row = [&](std::size_t i) {
            return Vec3{matrix.m[i][0], matrix.m[i][1], matrix.m[i][2]};
        };
        // A row's points are those at which the second coordinate is constant; parallel rays have
        // no depth, and their first coordinate changes along the row alone.
        const Vec3 along = length(row(2)) > 0 ? cross(row(1), row(2)) : row(0);
        max = std::max(max, std::abs(std::asin(std::clamp(along.z / length(along), -1.0, 1.0))));
    }
    return degrees(max);
}

// What views lose that are filtered along rolled rows; empty where that is nothing.
std::string rollNote(const Acquisition& acquisition) {
    if (shareEvenly(acquisition.redundancy)) return {};
    const double rollDeg = maxRollOf(acquisition.geometry);
    if (rollDeg <= kMaxRollDeg) return {};
    return fmt::format(
        " They are rolled by {:.2g}°, and opposite views do not share all rays evenly: levels may "
        "be off by about {:.1g} %, which upright rows avoid.",
        rollDeg, rollDeg);
}

}  // namespace

FilterRows filterRowsOf(const JobSpec& job, const Machine& machine) {
    if (job.rows) return *job.rows;
    const ScanGeometry& declared = job.scan.geometry;
    if (declared.poses() || declared.isAligned()) return FilterRows::own;
    if (!areOwnRowsExact(declared)) return FilterRows::upright;
    return runsOnDevices(job, machine) ? FilterRows::upright : FilterRows::own;
}

std::string rowsNote(const Acquisition& acquisition, EngineKind engine) {
    const bool onGpus = engine == EngineKind::gpu;
    if (!acquisition.rectifier.isIdentity())
        return fmt::format(
            "Each view is resampled onto an upright detector, without roll, tilt and slant.{}",
            onGpus && shareEvenly(acquisition.redundancy)
                ? " GPUs are fastest so; along the detector's own rows nothing is resampled, which "
                  "is a little sharper where pixels are coarse."
                : "");
    if (acquisition.geometry.areAligned()) return {};
    return fmt::format(
        "Each view is filtered along its own detector's rows; none is resampled.{}{}",
        rollNote(acquisition),
        onGpus ? " GPUs back-project such views with a kernel that takes any pose, which is slower "
                 "than those for an upright detector on a circle."
               : "");
}

}  // namespace gantry
