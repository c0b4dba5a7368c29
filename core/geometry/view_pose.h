#pragma once

#include <string>

#include "core/geometry/vec3.h"

namespace gantry {

/// Where source and detector are in one view; the same content as a row of ASTRA's cone_vec.
struct ViewPose {
    Vec3 sourceMm;  ///< of parallel rays the direction that they come from, of length 1
    Vec3 detectorCenterMm;
    Vec3 uStepMm;             ///< from pixel (0,0) to pixel (1,0)
    Vec3 vStepMm;             ///< from pixel (0,0) to pixel (0,1)
    bool isParallel = false;  ///< rays at right angles to the detector

    friend bool operator==(const ViewPose&, const ViewPose&) = default;
};

/// What makes a single pose unusable, as the predicate of a sentence, or nothing: a value that is
/// not finite, steps of no length or not at right angles, a source in the detector's plane, a
/// mirrored detector.
/// Tests: tests/core/geometry/calibrated_poses_test.cpp
[[nodiscard]] std::string poseFault(const ViewPose& pose);

}  // namespace gantry
