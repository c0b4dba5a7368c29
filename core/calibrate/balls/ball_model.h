#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/geometry/views/projection_matrix.h"

namespace gantry {

/// One ball seen in one view: the centroid of its image.
struct Sighting {
    Index view = 0;
    std::size_t ball = 0;
    double u = 0;  ///< pixels
    double v = 0;
    double radiusMm = 0;    ///< of the image, on the detector
    std::size_t image = 0;  ///< among those found in the view
};

/// What of a view says where a ball is seen.
struct ViewOptics {
    ProjectionMatrix matrix;
    std::array<double, 2> foot{};  ///< of the source's perpendicular on the detector, pixels
    double distanceMm = 0;         ///< from the source along it
};
[[nodiscard]] ViewOptics opticsOf(const ViewPose& pose, const Detector& detector);
[[nodiscard]] std::vector<ViewOptics> opticsOf(const ScanGeometry& geometry);

/// Where the centroid of a ball's line integrals is seen.
struct SeenAt {
    double u = 0;
    double v = 0;
    double depthMm = 0;
};
[[nodiscard]] SeenAt seenAt(const ViewOptics& optics, Vec3 centerMm, double radiusMm);
/// How it moves on the detector with the ball: [u, v][x, y, z], pixels per mm.
[[nodiscard]] std::array<std::array<double, 3>, 2> seenMoves(const ViewOptics& optics,
                                                             const SeenAt& seen);

/// Balls in the world.
struct Balls {
    std::vector<Vec3> centersMm;
    std::vector<double> radiiMm;
};
/// Where each ball is by its sightings: the point that the rays pass nearest to.
/// count: of the balls; each has at least two sightings
/// Tests: tests/core/calibrate/circle_bundle_test.cpp
[[nodiscard]] Balls triangulated(const std::vector<ViewOptics>& optics,
                                 std::span<const Sighting> sightings, std::size_t count);
/// Radii by the sizes of the images.
void measureRadii(const std::vector<ViewOptics>& optics, std::span<const Sighting> sightings,
                  Balls& balls);

}  // namespace gantry
