#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/geometry/scan_geometry.h"
#include "core/verify/sphere_measures.h"

namespace gantry {

/// What may be wrong with the geometry that a scan was reconstructed with.
enum class GeometryFault { sourceDistance, detectorOffset, roll, tilt };

/// What the spheres say of the geometry.
struct LikelyCause {
    std::optional<GeometryFault> fault;  ///< none: none of those known, or nothing is wrong
    bool isRight = false;                ///< nothing is wrong
    double size = 0;                     ///< by how much: %, pixels or degrees
    bool signIsKnown = false;            ///< else only how large it is
    double explained = 0;                ///< share of the errors' squares that it explains, 0 to 1
    std::string sentence;                ///< for people
};

/// Names the one fault of the geometry that explains the errors of measured spheres best.
///
/// A fault lets the edges of a sphere be seen beside where the declared geometry puts them, by an
/// amount that depends on the view. Where the two views that see an edge from either side agree
/// about it, the edge moves; where they do not, it is drawn twice. Each counts as its rays do in
/// the reconstruction. So a trial geometry predicts,
/// without a reconstruction, how every sphere moves and by how much its edges widen. Each fault is
/// tried in all sizes up to 3 % of the source distance, 6 pixels, 3° of roll and of tilt, and its
/// predictions are compared with shifts and edge widths of all spheres together. One that leaves
/// more than 40 % of the errors' squares unexplained is not named. Two faults at once are not told
/// apart.
///
/// declared: what the volume was reconstructed with
/// edgeVarianceMm2: of an edge in the right geometry: see expectedEdgeVarianceMm2()
/// poseIsKnown: the piece is known to be where it says; else it may stand a little otherwise
/// Tests: tests/core/verify/verify_run_test.cpp
[[nodiscard]] LikelyCause likelyCause(const ScanGeometry& declared, const SphereMeasures& measures,
                                      double voxelMm, double edgeVarianceMm2, bool poseIsKnown);

/// The geometry with a fault of that size: %, pixels along u, or degrees. The opposite size undoes
/// it.
[[nodiscard]] ScanGeometry withFault(const ScanGeometry& geometry, GeometryFault fault,
                                     double size);

}  // namespace gantry
