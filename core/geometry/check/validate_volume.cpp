#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/geometry/check/problem_list.h"
#include "core/geometry/check/validate.h"

namespace gantry {

namespace {

// Centres of the outermost voxels along one axis.
struct Extent {
    double low;
    double high;
};

Extent extentOf(const VolumeGrid& grid, std::size_t axis) {
    const double half = static_cast<double>(grid.voxels[axis] - 1) * grid.pitchMm[axis] / 2;
    return {grid.centerMm[axis] - half, grid.centerMm[axis] + half};
}

double farthest(Extent extent) {
    return std::max(std::abs(extent.low), std::abs(extent.high));
}

double nearest(Extent extent) {
    return std::max({0.0, extent.low, -extent.high});
}

// How near voxel centres come to 0.
double nearestCentre(Extent extent, double pitchMm) {
    if (extent.low >= 0 || extent.high <= 0) return nearest(extent);
    return std::abs(std::remainder(extent.low, pitchMm));
}

void checkGrid(const VolumeGrid& grid, ProblemList& problems) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        problems.count(fmt::format("volume.voxels[{}]", axis), grid.voxels[axis], 1, kMaxVoxels);
        problems.length(fmt::format("volume.pitchMm[{}]", axis), grid.pitchMm[axis], kMaxPitchMm);
        problems.range(fmt::format("volume.centerMm[{}]", axis), grid.centerMm[axis], -kMaxOffsetMm,
                       kMaxOffsetMm, " mm");
    }
}

void checkKeepsOffSource(const VolumeGrid& grid, const CircularCone& cone, ProblemList& problems) {
    const double corner = std::hypot(farthest(extentOf(grid, 0)), farthest(extentOf(grid, 1)));
    const double sod = cone.sourceToIsocenterMm;
    if (corner < sod) return;
    problems.error("volume.voxels",
                   fmt::format("the volume reaches the source: its corner lies {:.6g} mm from the "
                               "rotation axis and the source {:.6g} mm; ask for fewer voxels or a "
                               "smaller voxel pitch, or check the volume's centre",
                               corner, sod));
}

// Heights at which at least one view sees something at this distance from the axis.
Extent seenHeights(const FieldOfView& field, const ScanGeometry& geometry, double radius) {
    if (geometry.isParallel()) {
        const double rise = radius * std::abs(std::tan(radians(geometry.detector.tiltDeg)));
        return {field.zMinMm - rise, field.zMaxMm + rise};
    }
    const CircularCone& cone = geometry.cone();
    const double source = cone.sourceOffsetMm[1];
    const double share = radius / cone.sourceToIsocenterMm;
    const double below = field.zMinMm - source;
    const double above = field.zMaxMm - source;
    return {source + below + std::min(-share * below, share * below),
            source + above + std::max(-share * above, share * above)};
}

// Whether the volume is a cube about the middle, no larger than it takes to hold all that the
// detector sees: it reaches farther along the shorter axes because it is a cube.
bool isCubeAround(const VolumeGrid& grid, const FieldOfView& field) {
    const double longest = std::max(2 * field.radiusMm, field.zMaxMm - field.zMinMm);
    const std::array<double, 3> middle = {0, 0, (field.zMinMm + field.zMaxMm) / 2};
    const double tolerance = 1e-6 * longest;
    const double edge = static_cast<double>(grid.voxels[0]) * grid.pitchMm[0];
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double length = static_cast<double>(grid.voxels[axis]) * grid.pitchMm[axis];
        if (std::abs(length - edge) > tolerance || length > longest + tolerance ||
            std::abs(grid.centerMm[axis] - middle[axis]) > tolerance)
            return false;
    }
    return true;
}

void checkIsSeen(const VolumeGrid& grid, const ScanGeometry& geometry, const FieldOfView& field,
                 ProblemList& problems) {
    const Extent x = extentOf(grid, 0);
    const Extent y = extentOf(grid, 1);
    const Extent z = extentOf(grid, 2);
    const double corner = std::hypot(farthest(x), farthest(y));
    const Extent heights = seenHeights(field, geometry, corner);
    if (z.low > heights.high || z.high < heights.low)
        return problems.error(
            "volume.centerMm[2]",
            fmt::format("the volume at heights of {:.6g} to {:.6g} mm lies wholly outside what the "
                        "detector sees, {:.6g} to {:.6g} mm",
                        z.low, z.high, field.zMinMm, field.zMaxMm));
    if (isCubeAround(grid, field)) return;
    const double middle =
        std::hypot(nearestCentre(x, grid.pitchMm[0]), nearestCentre(y, grid.pitchMm[1]));
    if (middle > field.radiusMm && nearest(x) == 0 && nearest(y) == 0)
        return problems.error(
            "volume.pitchMm",
            fmt::format("voxels {:.6g} mm apart have no centre inside the cylinder of radius "
                        "{:.6g} mm that the detector sees; check this pitch and detector.pitchMm",
                        std::max(grid.pitchMm[0], grid.pitchMm[1]), field.radiusMm));
    const double side = std::max(farthest(x), farthest(y));
    const double tolerance = 1e-6 * field.radiusMm;
    if (side > field.radiusMm + tolerance)
        problems.warning(
            "volume.voxels",
            fmt::format("the volume reaches {:.6g} mm from the rotation axis, and the detector "
                        "sees the object up to {:.6g} mm from it",
                        side, field.radiusMm));
    if (z.low < field.zMinMm - tolerance || z.high > field.zMaxMm + tolerance)
        problems.warning(
            "volume.voxels[2]",
            fmt::format("the volume spans heights of {:.6g} to {:.6g} mm, and the detector sees "
                        "{:.6g} to {:.6g} mm on the rotation axis",
                        z.low, z.high, field.zMinMm, field.zMaxMm));
    if (std::hypot(nearest(x), nearest(y)) > field.radiusMm)
        problems.warning("volume.centerMm",
                         fmt::format("the volume lies wholly outside the cylinder of radius "
                                     "{:.6g} mm that the detector sees",
                                     field.radiusMm));
}

void checkPlace(const VolumeGrid& grid, const CircularCone& cone, const FieldOfView& field,
                const ScanGeometry& geometry, ProblemList& problems) {
    checkKeepsOffSource(grid, cone, problems);
    if (!problems.hasError()) checkIsSeen(grid, geometry, field, problems);
}

void checkPlace(const VolumeGrid& grid, const ParallelBeam&, const FieldOfView& field,
                const ScanGeometry& geometry, ProblemList& problems) {
    checkIsSeen(grid, geometry, field, problems);
}

// The volume relative to the middle of a circle, which may differ from the world's origin.
VolumeGrid fromAxis(VolumeGrid grid, const FieldOfView& field) {
    grid.centerMm[0] -= field.centerMm[0];
    grid.centerMm[1] -= field.centerMm[1];
    return grid;
}

// Checks that every voxel lies before every view's source, because back-projection divides by the
// depth.
void checkKeepsOffSource(const VolumeGrid& grid, const CalibratedPoses& poses,
                         ProblemList& problems) {
    const std::array<Extent, 3> box = {extentOf(grid, 0), extentOf(grid, 1), extentOf(grid, 2)};
    for (std::size_t s = 0; s < poses.poses().size(); ++s) {
        const ViewPose& pose = poses.poses()[s];
        const Vec3 normal = cross(pose.vStepMm, pose.uStepMm);
        const auto min = [](double along, Extent extent) {
            return std::min(along * extent.low, along * extent.high);
        };
        const double depth = min(normal.x, box[0]) + min(normal.y, box[1]) + min(normal.z, box[2]) -
                             dot(normal, pose.sourceMm);
        if (depth > 0) continue;
        return problems.error(
            "volume.voxels",
            fmt::format("the volume reaches the source of view {}; ask for fewer voxels or a "
                        "smaller voxel pitch, or check the volume's centre",
                        s));
    }
}

void checkPlace(const VolumeGrid& grid, const CalibratedPoses& poses, const FieldOfView& field,
                const ScanGeometry& geometry, ProblemList& problems) {
    checkKeepsOffSource(grid, poses, problems);
    if (!problems.hasError())
        checkIsSeen(fromAxis(grid, field), meanCircleOf(geometry), field, problems);
}

}  // namespace

std::vector<Problem> validate(const VolumeGrid& grid, const ScanGeometry& geometry) {
    ProblemList problems;
    checkGrid(grid, problems);
    const std::vector<Problem> ofScan = validate(geometry);
    const bool scanFits = std::ranges::none_of(ofScan, [](const Problem& problem) {
        return problem.severity == Problem::Severity::error;
    });
    if (scanFits && !problems.hasError())
        std::visit(
            [&](const auto& kind) {
                checkPlace(grid, kind, fieldOfView(geometry), geometry, problems);
            },
            geometry.trajectory);
    return std::move(problems).sorted();
}

}  // namespace gantry
