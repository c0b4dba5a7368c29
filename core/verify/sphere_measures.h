#pragma once

#include <vector>

#include "core/io/volume/read_volume.h"
#include "core/verify/test_piece.h"

namespace gantry {

/// One sphere as measured in a volume.
struct MeasuredSphere {
    KnownSphere known;  ///< where it truly is, in the volume's world
    Vec3 centerMm;      ///< of the least-squares sphere
    double radiusMm = 0;
    double formErrorMm = 0;  ///< PF: range of the surface points' distances from that centre
    double sizeErrorMm = 0;  ///< PS: its diameter − the true one
    /// Variance of the edge about the equator, mm²: of the derivative of the mean radial profile,
    /// up to edgeReachMm() on either side.
    double edgeVarianceMm2 = 0;
};

/// How far from a sphere's surface its edge is evaluated: farther off, slight shading of the
/// material and its surroundings would outweigh the edge.
[[nodiscard]] double edgeReachMm(double radiusMm, double voxelMm);

/// Spheres of known centres measured in a volume, after VDI/VDE 2630 part 1.3 (2011): sphere
/// distance error SD, probing errors of form PF and of size PS.
///
/// Surface points are where rays from a sphere's centre meet the level halfway between the sphere
/// and its surroundings (ISO 50 %, for each sphere its own), 400 of them spread evenly over the
/// sphere. The guideline takes 25 points: PF, their range, is the stricter for 400.
struct SphereMeasures {
    std::vector<MeasuredSphere> spheres;
    double worstDistanceErrorMm = 0;  ///< SD of the pair with the largest error, with its sign
    double longestDistanceMm = 0;     ///< between two true centres
    double worstFormErrorMm = 0;
    double worstSizeErrorMm = 0;
    /// Ratio of measured lengths to true ones, with the standard deviation that follows from the
    /// centres' scatter about the fit; and the same only in the plane of the orbit and only along
    /// the axis.
    double scale = 1;
    double scaleDeviation = 0;
    double scaleInPlane = 1;
    double scaleAlongAxis = 1;
};

/// known: at least three spheres, each within half a radius of its position in the volume, with
/// empty space of its own radius around it
/// @throws InputError naming a sphere whose surface is not found; if there are too few spheres
/// Tests: tests/core/verify/sphere_measures_test.cpp
[[nodiscard]] SphereMeasures measureSpheres(const Volume& volume,
                                            const std::vector<KnownSphere>& known, int threads);

}  // namespace gantry
