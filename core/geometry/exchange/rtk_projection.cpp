#include "core/geometry/exchange/rtk_projection.h"

#include <cmath>

#include "core/geometry/views/circular_view.h"

namespace gantry {

namespace {

// The axes of the rotated frame, the rows of R, in our world (X=x, Y=−z, Z=y).
struct RotatedFrame {
    Vec3 x;
    Vec3 y;
    Vec3 z;
};

RotatedFrame frameOf(const RtkProjection& projection) {
    const double gantry = radians(projection.gantryDeg);
    const double out = radians(projection.outOfPlaneDeg);
    const double in = radians(projection.inPlaneDeg);
    // After the gantry: x is our u, y is up and z points to the source.
    const Vec3 u = {std::cos(gantry), std::sin(gantry), 0};
    const Vec3 up = {0, 0, 1};
    const Vec3 toSource = {std::sin(gantry), -std::cos(gantry), 0};
    const Vec3 y = std::cos(out) * up + std::sin(out) * toSource;
    const Vec3 z = std::cos(out) * toSource - std::sin(out) * up;
    return {std::cos(in) * u + std::sin(in) * y, std::cos(in) * y - std::sin(in) * u, z};
}

// A direction of our world in RTK's.
Vec3 inRtkWorld(Vec3 a) {
    return {a.x, a.z, -a.y};
}

}  // namespace

RtkProjection rtkProjection(const ViewPose& pose) {
    const CircularView view = circularView(pose);
    RtkProjection projection;
    const double wrapped = view.gantryDeg < 0 ? view.gantryDeg + 360 : view.gantryDeg;
    projection.gantryDeg = wrapped < 360 ? wrapped : 0;
    projection.inPlaneDeg = view.rollDeg;
    projection.outOfPlaneDeg = -view.tiltDeg + 0;
    const RotatedFrame frame = frameOf(projection);
    projection.sourceToIsocenter = dot(pose.sourceMm, frame.z);
    projection.sourceToDetector = dot(pose.sourceMm - pose.detectorCenterMm, frame.z);
    projection.sourceOffsetX = dot(pose.sourceMm, frame.x);
    projection.sourceOffsetY = dot(pose.sourceMm, frame.y);
    projection.projectionOffsetX = dot(pose.detectorCenterMm, frame.x);
    projection.projectionOffsetY = dot(pose.detectorCenterMm, frame.y);
    return projection;
}

ViewPose poseOfRtk(const RtkProjection& projection, const std::array<double, 2>& pitchMm) {
    const RotatedFrame frame = frameOf(projection);
    const auto at = [&](double x, double y, double z) {
        return x * frame.x + y * frame.y + z * frame.z;
    };
    return {at(projection.sourceOffsetX, projection.sourceOffsetY, projection.sourceToIsocenter),
            at(projection.projectionOffsetX, projection.projectionOffsetY,
               projection.sourceToIsocenter - projection.sourceToDetector),
            pitchMm[0] * frame.x, pitchMm[1] * frame.y};
}

std::array<std::array<double, 4>, 3> rtkMatrix(const RtkProjection& projection) {
    const RotatedFrame frame = frameOf(projection);
    const Vec3 x = inRtkWorld(frame.x);
    const Vec3 y = inRtkWorld(frame.y);
    const Vec3 z = inRtkWorld(frame.z);
    const double sid = projection.sourceToIsocenter;
    const double sdd = projection.sourceToDetector;
    // P = [1 0 sx−px; 0 1 sy−py; 0 0 1]·[−SDD 0 0 0; 0 −SDD 0 0; 0 0 1 −SID]·T(−sx, −sy)·R
    const auto row = [&](Vec3 axis, double source, double detector) {
        const double shift = source - detector;
        const Vec3 r = shift * z - sdd * axis;
        return std::array<double, 4>{r.x, r.y, r.z, sdd * source - shift * sid};
    };
    return {row(x, projection.sourceOffsetX, projection.projectionOffsetX),
            row(y, projection.sourceOffsetY, projection.projectionOffsetY),
            {z.x, z.y, z.z, -sid}};
}

}  // namespace gantry
