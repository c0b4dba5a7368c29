#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "core/calibrate/balls/ball_model.h"
#include "core/geometry/scan_geometry.h"

namespace gantry {

/// Poses of views that have left their circle.
struct PosesFit {
    std::vector<ViewPose> poses;                   ///< [view]
    Balls balls;                                   ///< as they lie by these
    std::vector<std::array<double, 2>> residuals;  ///< of each sighting, pixels
    std::vector<bool> isUsed;                      ///< of each sighting; not an outlier
    Index ownPoses = 0;                            ///< views with balls enough; others keep theirs
};

/// Fits source and detector of each view to where its balls are seen: nine numbers, of which those
/// that the view hardly tells stay near the circle's (a Gaussian of a hundredth of the
/// source–detector distance, and of a degree). Balls whose places are not known move with them.
/// An image that the circle's larger residuals hid, as of two balls that touch, is left out as soon
/// as the poses show it.
/// isUsed: of each sighting, by the circle
/// Tests: tests/core/calibrate/calibrate_test.cpp
[[nodiscard]] PosesFit fitPoses(const ScanGeometry& circle, const Balls& balls, bool areKnown,
                                std::span<const Sighting> sightings,
                                const std::vector<bool>& isUsed, int threads,
                                const std::stop_token& stop);

}  // namespace gantry
