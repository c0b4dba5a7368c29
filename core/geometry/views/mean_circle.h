#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/geometry/views/view_pose.h"

namespace gantry {

/// A pose in the terms of a circular orbit whose gantry angle is that of the source about the axis:
/// the source then has no offset along u, and the detector is rolled, tilted and slanted as in
/// CircularCone. Lengths in mm, angles in degrees.
struct PoseParameters {
    double angleDeg = 0;
    double sourceToAxisMm = 0;
    double sourceToDetectorMm = 0;
    double sourceHeightMm = 0;
    std::array<double, 2> detectorOffsetMm = {0, 0};
    double rollDeg = 0;
    double tiltDeg = 0;
    double slantDeg = 0;
    std::array<double, 2> pitchMm = {0, 0};
};

/// A parameter that is the same in all views of a rigid circle.
struct PoseParameter {
    const char* name;   ///< "sourceToAxisMm"
    const char* label;  ///< "source–axis distance"
    const char* unit;   ///< " mm", "°"
    double (*value)(const PoseParameters&);
};
[[nodiscard]] std::span<const PoseParameter> poseParameters();

/// The circle that lies nearest to calibrated poses: its axis is that of the circle of least
/// squares through the sources, and every parameter is the mean of the views'. Where the sources
/// tell no axis (fewer than three, or an arc of a few degrees) it is z through the origin. Tests:
/// tests/core/geometry/mean_circle_test.cpp
struct MeanCircle {
    Vec3 centerMm;  ///< of the axis, at the world's height 0
    std::array<Vec3, 3> axes =
        {};               ///< x, y and z of the circle's own frame; z is the axis, upwards
    PoseParameters mean;  ///< at an angle of 0
    std::vector<PoseParameters> views;  ///< [s]; angles as angle_list.h has them
    double sourceRmsMm = 0;             ///< how far sources lie from the circle's, root mean square
    double detectorRmsMm = 0;           ///< the same of the detectors' centres
    double tiltOfAxisDeg = 0;           ///< between the axis and z

    /// The circle's pose at an angle, in the world.
    [[nodiscard]] ViewPose poseAt(double angleDeg) const;
    /// How far view s's source and detector centre lie from where the circle has them.
    [[nodiscard]] double sourceResidualMm(const ViewPose& pose, std::size_t s) const;
    [[nodiscard]] double detectorResidualMm(const ViewPose& pose, std::size_t s) const;
    /// From the source at right angles to the axis, to the axis.
    [[nodiscard]] Vec3 toAxis(Vec3 sourceMm) const;
};

/// poses: at least one; values that are not finite give ones that are not.
[[nodiscard]] MeanCircle fitMeanCircle(const std::vector<ViewPose>& poses);

}  // namespace gantry
