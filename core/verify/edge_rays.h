#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/geometry/vec3.h"
#include "core/io/volume/read_volume.h"

namespace gantry {

/// A ray through a volume, and the distances from which and to which values are taken.
struct EdgeRay {
    Vec3 from;
    Vec3 direction;  ///< of length 1
    double nearMm = 0;
    double farMm = 0;
};

/// `samples` trilinear values, including both ends. Empty if an end lies outside the volume.
[[nodiscard]] std::vector<double> valuesAlong(const Volume& volume, const EdgeRay& ray,
                                              int samples);

/// Where the value crosses `level` along the ray, nearest to `expectedMm`, by linear interpolation
/// between samples a quarter of a voxel apart. None if it does not.
[[nodiscard]] std::optional<double> crossingMm(const Volume& volume, const EdgeRay& ray,
                                               double level, double expectedMm);

/// `count` directions, spread evenly over the sphere along Fibonacci's spiral.
[[nodiscard]] std::vector<Vec3> evenDirections(int count);
/// Max |z| of directions about a sphere's equator, where views see its edge from the side.
inline constexpr double kEquator = 0.35;

/// The longest side of a voxel.
[[nodiscard]] double voxelMm(const VolumeGrid& grid);

/// A sphere fitted to points, or a circle if flat, by least squares of the distances from it.
struct FittedSphere {
    Vec3 centerMm;
    double radiusMm = 0;
    double nearestMm = 0;   ///< of the points, from the centre
    double farthestMm = 0;  ///< of the points, from the centre
};
/// start: near the centre. flat: the points have one height, and a circle is fitted there.
/// @throws InputError  fewer than 8 points
/// Tests: tests/core/verify/sphere_measures_test.cpp
[[nodiscard]] FittedSphere fittedSphere(const std::vector<Vec3>& points, Vec3 start, bool flat);

/// x that minimises Σ (rows·x − rhs)², and the standard deviations that follow from the residuals.
struct LinearFit {
    std::vector<double> x;
    std::vector<double> deviation;
    double scatter = 0;  ///< standard deviation of a residual
};
/// @throws InputError if the rows do not determine x
[[nodiscard]] LinearFit leastSquares(const std::vector<std::vector<double>>& rows,
                                     const std::vector<double>& rhs);

/// How a small rotation and a shift displace a point: a row for x, y and z each; the columns are
/// the rotation about x, y and z, radians, and the shift along them.
[[nodiscard]] std::array<std::vector<double>, 3> rigidRows(Vec3 p);

}  // namespace gantry
