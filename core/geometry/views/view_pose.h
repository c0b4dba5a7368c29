#pragma once

#include <string>

#include "core/geometry/vec3.h"

namespace gantry {

/// The position of source and detector in one view; the same content as a row of ASTRA's cone_vec.
struct ViewPose {
    Vec3 sourceMm;  ///< for parallel rays the direction that they come from, of length 1
    Vec3 detectorCenterMm;
    Vec3 uStepMm;             ///< from pixel (0,0) to pixel (1,0)
    Vec3 vStepMm;             ///< from pixel (0,0) to pixel (0,1)
    bool isParallel = false;  ///< rays are perpendicular to the detector

    friend bool operator==(const ViewPose&, const ViewPose&) = default;
};

/// The fault of a single pose as the predicate of a sentence, or nothing: a value that is not
/// finite, steps of length 0 or not perpendicular, a source in the detector's plane, a mirrored
/// detector. Tests: tests/core/geometry/calibrated_poses_test.cpp
[[nodiscard]] std::string poseFault(const ViewPose& pose);

}  // namespace gantry
