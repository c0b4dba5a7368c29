#include "core/verify/perturbation.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/verify/likely_cause.h"

namespace gantry {

namespace {

void refuseParallel(const ScanGeometry& geometry) {
    if (geometry.isParallel())
        throw InputError("A parallel beam has no distances of a source that could be wrong.");
}

ScanGeometry withSod(const ScanGeometry& geometry, double percent) {
    return withSourceDistance(geometry, 1 + percent / 100);
}

// Detectors of poses move away from their sources along their normals.
ScanGeometry withSdd(const ScanGeometry& geometry, double percent) {
    refuseParallel(geometry);
    ScanGeometry changed = geometry;
    if (const CalibratedPoses* poses = geometry.poses()) {
        std::vector<ViewPose> moved = poses->poses();
        for (ViewPose& pose : moved) {
            const Vec3 normal = cross(pose.vStepMm, pose.uStepMm);
            const double depth = dot(pose.detectorCenterMm - pose.sourceMm, normal);
            pose.detectorCenterMm =
                pose.detectorCenterMm + (percent / 100 * depth / dot(normal, normal)) * normal;
        }
        changed.trajectory = CalibratedPoses(std::move(moved));
        return changed;
    }
    changed.cone().sourceToDetectorMm *= 1 + percent / 100;
    return changed;
}

template <GeometryFault Fault>
ScanGeometry faulty(const ScanGeometry& geometry, double amount) {
    return withFault(geometry, Fault, amount);
}

constexpr Perturbation kPerturbations[] = {
    {"sod", "source–object distance (SOD)", "%", 1, 20, withSod},
    {"sdd", "source–detector distance (SDD)", "%", 0.1, 20, withSdd},
    {"offset", "detector's offset along u", "px", 2, 100, faulty<GeometryFault::detectorOffset>},
    {"roll", "detector's roll", "°", 1, 45, faulty<GeometryFault::roll>},
    {"tilt", "detector's tilt", "°", 1, 45, faulty<GeometryFault::tilt>},
};

}  // namespace

// Source and detector of a pose move together, because their distance stays the same.
ScanGeometry withSourceDistance(const ScanGeometry& geometry, double factor) {
    refuseParallel(geometry);
    ScanGeometry changed = geometry;
    if (const CalibratedPoses* poses = geometry.poses()) {
        std::vector<ViewPose> moved = poses->poses();
        for (ViewPose& pose : moved) {
            const Vec3 outwards = (1 - factor) * poses->meanCircle().toAxis(pose.sourceMm);
            pose.sourceMm = pose.sourceMm + outwards;
            pose.detectorCenterMm = pose.detectorCenterMm + outwards;
        }
        changed.trajectory = CalibratedPoses(std::move(moved));
        return changed;
    }
    changed.cone().sourceToIsocenterMm *= factor;
    return changed;
}

std::span<const Perturbation> perturbations() {
    return kPerturbations;
}

std::string wrongOnPurpose(const Perturbation& perturbation, double amount) {
    return fmt::format("Wrong on purpose: the {}, by {:.6g}{}{}.", perturbation.title, amount,
                       perturbation.unit == "°" ? "" : " ", perturbation.unit);
}

}  // namespace gantry
