#pragma once

#include <array>
#include <string_view>

#include "core/geometry/scan_geometry.h"

namespace gantry {

/// One projection in RTK's terms (mm, degrees). With R = Rz(−inPlane)·Rx(−outOfPlane)·Ry(−gantry)
/// in RTK's world, the rotated frame has the source at (sourceOffset, sourceToIsocenter) and the
/// detector's centre at (projectionOffset, sourceToIsocenter − sourceToDetector), and its x and y
/// axes are the detector's.
struct RtkProjection {
    double gantryDeg = 0;
    double inPlaneDeg = 0;
    double outOfPlaneDeg = 0;
    double sourceToIsocenter = 0;
    double sourceToDetector = 0;
    double sourceOffsetX = 0;
    double sourceOffsetY = 0;
    double projectionOffsetX = 0;
    double projectionOffsetY = 0;
};

/// A parameter of a projection besides its angle, and its tag. In RTK a missing one is 0.
struct RtkTag {
    std::string_view name;
    double RtkProjection::*value;
};
inline constexpr RtkTag kRtkTags[] = {
    {"SourceToIsocenterDistance", &RtkProjection::sourceToIsocenter},
    {"SourceToDetectorDistance", &RtkProjection::sourceToDetector},
    {"SourceOffsetX", &RtkProjection::sourceOffsetX},
    {"SourceOffsetY", &RtkProjection::sourceOffsetY},
    {"ProjectionOffsetX", &RtkProjection::projectionOffsetX},
    {"ProjectionOffsetY", &RtkProjection::projectionOffsetY},
    {"InPlaneAngle", &RtkProjection::inPlaneDeg},
    {"OutOfPlaneAngle", &RtkProjection::outOfPlaneDeg},
};

/// Tests of all three: tests/core/geometry/rtk_geometry_test.cpp
[[nodiscard]] RtkProjection rtkProjection(const ViewPose& pose);
[[nodiscard]] ViewPose poseOfRtk(const RtkProjection& projection,
                                 const std::array<double, 2>& pitchMm);

/// RTK's Matrix tag: from RTK's world to mm from the detector's centre, homogeneous.
[[nodiscard]] std::array<std::array<double, 4>, 3> rtkMatrix(const RtkProjection& projection);

}  // namespace gantry
