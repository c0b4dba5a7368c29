#include "core/geometry/row_order.h"

#include <algorithm>

namespace gantry {

namespace {

bool runsDown(const ViewPose& pose) {
    return dot(pose.sourceMm - pose.detectorCenterMm, cross(pose.uStepMm, pose.vStepMm)) < 0;
}

}  // namespace

bool turnRowsUp(std::vector<ViewPose>& poses) {
    if (std::none_of(poses.begin(), poses.end(), runsDown)) return false;
    for (ViewPose& pose : poses)
        pose.vStepMm = -1 * pose.vStepMm;
    return true;
}

}  // namespace gantry
