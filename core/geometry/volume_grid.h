#pragma once

#include <array>

#include "core/base/types.h"
#include "core/geometry/scan_geometry.h"
#include "core/geometry/vec3.h"

namespace gantry {

/// Max voxels along an axis in any part of the program.
inline constexpr Index kMaxVoxels = 32768;

/// A regular grid of voxels, axes along world x, y, z. Voxel (x,y,z) has its centre at
/// ((x−(Nx−1)/2)·Dx, (y−(Ny−1)/2)·Dy, (z−(Nz−1)/2)·Dz) + centerMm. Its data are [z][y][x].
struct VolumeGrid {
    std::array<Index, 3> voxels = {0, 0, 0};    ///< Nx, Ny, Nz
    std::array<double, 3> pitchMm = {0, 0, 0};  ///< Dx, Dy, Dz
    std::array<double, 3> centerMm = {0, 0, 0};

    [[nodiscard]] Vec3 positionMm(double x, double y, double z) const;
    /// Centre of voxel (0,0,0).
    [[nodiscard]] Vec3 originMm() const { return positionMm(0, 0, 0); }
    [[nodiscard]] Index count() const { return voxels[0] * voxels[1] * voxels[2]; }
    /// The grid of slices [range.begin, range.end) only, in the same position.
    [[nodiscard]] VolumeGrid slab(IndexRange slices) const;

    friend bool operator==(const VolumeGrid&, const VolumeGrid&) = default;
};

/// The grid of blocks of `factor`³ voxels; those at the far ends may be cut.
/// Tests: tests/core/geometry/volume_grid_test.cpp
[[nodiscard]] VolumeGrid coarsened(const VolumeGrid& grid, Index factor);

/// The cylinder about the rotation axis that the detector sees, up to its outer edges.
struct FieldOfView {
    /// Radius in the mid-plane that every view sees, to the nearer edge of the detector, or that
    /// the whole circle sees, to the farther edge: see RayCover::reachesToFartherEdge(). 0 if the
    /// detector misses the axis.
    double radiusMm = 0;
    /// Height of the rotation axis that every view sees. Off the axis the cone cuts the cylinder's
    /// top and bottom: at radius r all views see (SOD − r)/SOD of this height, and half of them all
    /// of it; parallel rays see all of it, or r·tan(tilt) less at either end if the axis leans
    /// along them.
    double zMinMm = 0;
    double zMaxMm = 0;
    /// Position of the cylinder's axis: for calibrated poses that of their mean circle.
    std::array<double, 2> centerMm = {0, 0};
    /// Radius in the mid-plane that every view sees, to the nearer edge; at most radiusMm.
    double everyViewMm = 0;
};

/// A rolled, tilted or slanted detector counts by the middles of its four edges.
/// Tests: tests/core/geometry/volume_grid_test.cpp
[[nodiscard]] FieldOfView fieldOfView(const ScanGeometry& geometry);

/// The default grid: cubic voxels of the detector's pitch at the isocentre, as many as fit into the
/// field of view, so that a detector of N × N pixels gives about N³ voxels. With voxelsAlongX > 0,
/// that many across instead, and the pitch follows. If the cone is so wide that the corners would
/// reach the source's orbit, the grid is narrower than the field of view.
/// widthMm: across, instead of the field of view's width; 0: that
/// @throws InputError when the detector misses the rotation axis, the grid would have more than
///         32768 voxels along an axis, or its corners would reach the source's orbit
[[nodiscard]] VolumeGrid fitGrid(const ScanGeometry& geometry, Index voxelsAlongX = 0,
                                 double widthMm = 0);

}  // namespace gantry
