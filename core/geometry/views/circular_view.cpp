#include "core/geometry/views/circular_view.h"

#include <cmath>

namespace gantry {

CircularView circularView(const ViewPose& pose) {
    CircularView view;
    view.pitchU = length(pose.uStepMm);
    view.pitchV = length(pose.vStepMm);
    const Vec3 u = (1 / view.pitchU) * pose.uStepMm;
    const Vec3 toSource = (1 / (view.pitchU * view.pitchV)) * cross(pose.uStepMm, pose.vStepMm);

    // Gantry axes: n is the horizontal part of the normal away from the source, (−sinθ, cosθ, 0).
    const double across = std::hypot(toSource.x, toSource.y);
    const Vec3 n = {-toSource.x / across, -toSource.y / across, 0};
    const Vec3 gantryU = {n.y, -n.x, 0};
    // Adding 0 turns −0 into 0.
    view.gantryDeg = degrees(std::atan2(toSource.x, -toSource.y)) + 0;
    view.tiltDeg = degrees(std::atan2(toSource.z, across)) + 0;
    // The detector's v axis before it was rolled.
    const Vec3 upright = cross(toSource, gantryU);
    view.rollDeg = degrees(std::atan2(dot(u, upright), dot(u, gantryU))) + 0;

    view.sod = -dot(pose.sourceMm, n);
    view.sdd = dot(pose.detectorCenterMm, n) + view.sod;
    view.sourceU = dot(pose.sourceMm, gantryU);
    view.sourceV = pose.sourceMm.z;
    view.offsetU = dot(pose.detectorCenterMm, gantryU);
    view.offsetV = pose.detectorCenterMm.z;
    return view;
}

double withoutRounding(double x, double tolerance) {
    const double even = std::round(x * 1e9) / 1e9;
    return std::abs(even - x) < tolerance ? even + 0 : x;
}

}  // namespace gantry
