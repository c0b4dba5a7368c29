#pragma once

#include <optional>
#include <string>

#include "core/geometry/scan_geometry.h"
#include "core/verify/sphere_measures.h"

namespace gantry {

/// Possible faults of the geometry that a scan was reconstructed with.
enum class GeometryFault { sourceDistance, detectorOffset, roll, tilt };

/// What the spheres show about the geometry.
struct LikelyCause {
    std::optional<GeometryFault> fault;  ///< none: no known fault, or nothing is wrong
    bool isRight = false;                ///< nothing is wrong
    double size = 0;                     ///< by how much: %, pixels or degrees
    bool signIsKnown = false;            ///< false: only the size is known
    double explained = 0;                ///< part of the errors' squares that it explains, 0 to 1
    std::string sentence;                ///< for the user
};

/// Names the one fault of the geometry that explains the errors of measured spheres best.
///
/// A fault shows the edges of a sphere beside their place in the declared geometry, by an amount
/// that depends on the view. If the two views that see an edge from either side agree about it, the
/// edge moves; otherwise it appears twice. Each counts with the weight of its rays in the
/// reconstruction. So a trial geometry predicts, without a reconstruction, how every sphere moves
/// and by how much its edges widen. Each fault is tried in all sizes up to 3 % of the source
/// distance, 6 pixels, 3° of roll and of tilt, and its predictions are compared with shifts and
/// edge widths of all spheres together. A fault that leaves more than 40 % of the errors' squares
/// unexplained is not named. Two simultaneous faults cannot be distinguished.
///
/// declared: what the volume was reconstructed with
/// edgeVarianceMm2: of an edge in the right geometry: see expectedEdgeVarianceMm2()
/// poseIsKnown: the piece is exactly where it is stated to be; otherwise it may be slightly off
/// Tests: tests/core/verify/verify_run_test.cpp
[[nodiscard]] LikelyCause likelyCause(const ScanGeometry& declared, const SphereMeasures& measures,
                                      double voxelMm, double edgeVarianceMm2, bool poseIsKnown);

/// The geometry with a fault of that size: %, pixels along u, or degrees. The opposite size undoes
/// it.
[[nodiscard]] ScanGeometry withFault(const ScanGeometry& geometry, GeometryFault fault,
                                     double size);

}  // namespace gantry
