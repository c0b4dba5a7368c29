#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/geometry/vec3.h"
#include "core/io/volume/read_volume.h"

namespace gantry {

/// Values along a ray through a volume, from one distance to another.
struct EdgeRay {
    Vec3 from;
    Vec3 direction;  ///< of length 1
    double nearMm = 0;
    double farMm = 0;
};

/// Trilinear, `samples` of them, both ends included. Empty where an end lies outside the volume.
[[nodiscard]] std::vector<double> valuesAlong(const Volume& volume, const EdgeRay& ray,
                                              int samples);

/// Where the value falls below (or rises above) `level` on the way, nearest to `expectedMm`, by
/// linear interpolation between samples a quarter of a voxel apart. None where it does not.
[[nodiscard]] std::optional<double> crossingMm(const Volume& volume, const EdgeRay& ray,
                                               double level, double expectedMm);

/// So many directions, spread evenly over the sphere along Fibonacci's spiral.
[[nodiscard]] std::vector<Vec3> evenDirections(int count);
/// About a sphere's equator, where views see its edge from the side: |z| of a direction up to this.
inline constexpr double kEquator = 0.35;

/// The longest side of a voxel.
[[nodiscard]] double voxelMm(const VolumeGrid& grid);

/// A sphere through points, or a circle where flat: least squares of the distances from it.
struct FittedSphere {
    Vec3 centerMm;
    double radiusMm = 0;
    double nearestMm = 0;   ///< of the points, from the centre
    double farthestMm = 0;  ///< likewise
};
/// start: near it. flat: the points are of one height, and a circle is fitted there.
/// @throws InputError  fewer than 8 points
/// Tests: tests/core/verify/sphere_measures_test.cpp
[[nodiscard]] FittedSphere fittedSphere(const std::vector<Vec3>& points, Vec3 start, bool flat);

/// x that makes Σ (rows·x − rhs)² least, and the standard deviations that the residuals make.
struct LinearFit {
    std::vector<double> x;
    std::vector<double> deviation;
    double scatter = 0;  ///< standard deviation of a residual
};
/// @throws InputError where the rows do not determine x
[[nodiscard]] LinearFit leastSquares(const std::vector<std::vector<double>>& rows,
                                     const std::vector<double>& rhs);

/// How a small rotation and a shift displace a point: a row for x, y and z each; the columns are
/// the rotation about x, y and z, radians, and the shift along them.
[[nodiscard]] std::array<std::vector<double>, 3> rigidRows(Vec3 p);

}  // namespace gantry
