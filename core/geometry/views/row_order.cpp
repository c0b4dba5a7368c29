#include "core/geometry/views/row_order.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace gantry {

namespace {

bool runsDown(const ViewPose& pose) {
    const Vec3 towards = pose.isParallel ? pose.sourceMm : pose.sourceMm - pose.detectorCenterMm;
    return dot(towards, cross(pose.uStepMm, pose.vStepMm)) < 0;
}

}  // namespace

bool turnRowsUp(std::vector<ViewPose>& poses) {
    // A few poses that differ from the others are faults, which the reader reports.
    const auto down = std::ranges::count_if(poses, runsDown);
    if (2 * down <= std::ssize(poses)) return false;
    for (ViewPose& pose : poses)
        pose.vStepMm = -1 * pose.vStepMm;
    return true;
}

ExchangedGeometry exchangedOrbitOrPoses(std::vector<ViewPose> poses, bool firstRowIsTop,
                                        Index columns, Index rows, const std::string& where) {
    constexpr double kQuarterTurn = 90;
    ScanGeometry geometry = orbitOrPoses(poses, columns, rows, where);
    if (!geometry.isCone() || std::abs(geometry.detector.rollDeg) <= kQuarterTurn)
        return {std::move(geometry), firstRowIsTop, false};
    for (ViewPose& pose : poses) {
        pose.uStepMm = -1 * pose.uStepMm;
        pose.vStepMm = -1 * pose.vStepMm;
    }
    return {orbitOrPoses(poses, columns, rows, where), !firstRowIsTop, true};
}

}  // namespace gantry
