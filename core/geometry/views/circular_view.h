#pragma once

#include "core/geometry/scan_geometry.h"

namespace gantry {

/// One view's pose in the terms of a circular orbit whose gantry angle is the direction of the
/// detector's normal about the rotation axis, so that there is no slant. That is how RTK counts
/// gantry angles, and any pose has exactly one such description, unless its normal is along the
/// axis: a slanted detector is one without slant at another gantry angle and with other offsets.
/// Lengths in mm, angles in degrees.
struct CircularView {
    double gantryDeg = 0;  ///< −180 to 180
    double sod = 0;
    double sdd = 0;
    double sourceU = 0;
    double sourceV = 0;
    double offsetU = 0;
    double offsetV = 0;
    double tiltDeg = 0;
    double rollDeg = 0;
    double pitchU = 0;
    double pitchV = 0;
};

/// The source is taken to lie before the detector: (u × v) points towards it.
[[nodiscard]] CircularView circularView(const ViewPose& pose);

/// x, or the multiple of 1e-9 that lies within `tolerance` of it: removes the rounding of sines and
/// of files with 15 digits.
[[nodiscard]] double withoutRounding(double x, double tolerance = 1e-11);

}  // namespace gantry
