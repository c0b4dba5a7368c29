#pragma once

#include <vector>

#include "core/io/volume/read_volume.h"
#include "core/verify/test_piece.h"

namespace gantry {

/// One sphere as a volume shows it.
struct MeasuredSphere {
    KnownSphere known;  ///< where it truly is, in the volume's world
    Vec3 centerMm;      ///< of the least-squares sphere
    double radiusMm = 0;
    double formErrorMm = 0;  ///< PF: range of the surface points' distances from that centre
    double sizeErrorMm = 0;  ///< PS: its diameter − the true one
    /// Variance of the edge about the equator, mm²: of the derivative of the mean radial profile,
    /// as far as edgeReachMm() to either side.
    double edgeVarianceMm2 = 0;
};

/// How far from a sphere's surface its edge is looked at: farther off, the slight shading of the
/// material and of what is round it would count for more than the edge.
[[nodiscard]] double edgeReachMm(double radiusMm, double voxelMm);

/// Spheres of known centres measured in a volume, after VDI/VDE 2630 part 1.3 (2011): sphere
/// distance error SD, probing errors of form PF and of size PS.
///
/// Surface points are where rays from a sphere's centre meet the level halfway between the sphere
/// and what is round it (ISO 50 %, for each sphere its own), 400 of them spread evenly over the
/// sphere, where the guideline takes 25 points: PF, their range, is the stricter for it.
struct SphereMeasures {
    std::vector<MeasuredSphere> spheres;
    double worstDistanceErrorMm = 0;  ///< SD of the pair that is farthest off, with its sign
    double longestDistanceMm = 0;     ///< between two true centres
    double worstFormErrorMm = 0;
    double worstSizeErrorMm = 0;
    /// Measured lengths over true ones, with the standard deviation that the centres' scatter
    /// about the fit makes; and the same in the plane of the orbit and along the axis alone.
    double scale = 1;
    double scaleDeviation = 0;
    double scaleInPlane = 1;
    double scaleAlongAxis = 1;
};

/// known: at least three spheres, each within half a radius of where it is in the volume, with
/// empty space of its own radius round it
/// @throws InputError naming a sphere whose surface is not found; that spheres are too few
/// Tests: tests/core/verify/sphere_measures_test.cpp
[[nodiscard]] SphereMeasures measureSpheres(const Volume& volume,
                                            const std::vector<KnownSphere>& known, int threads);

}  // namespace gantry
