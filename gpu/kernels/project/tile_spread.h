#pragma once

#include "gpu/kernels/project/ray_views.h"
#include "gpu/kernels/tile/tile.h"

namespace gantry::gpu {

/// Voxels of a tile that rays are added to: planes of a fan, voxels across in each, and slices.
inline constexpr int kSpreadPlanes = 8;
inline constexpr int kSpreadAcross = 4;
/// High tiles need fewer constants a voxel, where their footprints fit a box.
inline constexpr int kSpreadSlices[] = {256, 128, 64};
inline constexpr int kSpreadShapes = 3;

/// The work of one launch: adds to each voxel its shares of the rays of some fans along x or y.
/// Only for upright views: see TileRaysTask.
struct TileSpreadTask {
    RayFans fans;  ///< at most kMaxSpreadFans
    RayRows rows;  ///< scaled by scaleRays()
    RaySlab slab;
    int sliceBegin = 0;  ///< the slab's slices that are added to
    int sliceEnd = 0;
    int shape = 0;       ///< of kSpreadSlices
    int maxColumns = 0;  ///< of a fan that pass a tile in one plane, at most
    TileBox boxes[kBoxSizes];
    int stages = 0;
};
inline constexpr int kMaxSpreadFans = 32;

/// A tile by its first plane, its first voxel across and its slices, of which the last may be
/// beyond the slab.
struct SpreadTile {
    int plane, across;
    int sliceBegin, slices;
};

/// Rays of a fan that a tile of voxels meets.
struct SpreadFootprint {
    double columns = 0;
    double rows = 0;
    double perPlane = 0;  ///< columns that pass the tile in one plane
};

/// The footprint of a tile on a view. fans: in host memory. Huge where the tile is not before the
/// source
SpreadFootprint footprintOf(const RayFans& fans, int number, const SpreadTile& tile);

/// Shared memory that a block takes, bytes.
std::size_t tileSpreadSharedBytes(const TileBox& largest, int maxColumns, int stages);

/// maps: boxes of rays [s][u][v], by pairs of v
cudaError_t spreadTileRays(const TileSpreadTask& task, const TileMaps& maps, cudaStream_t stream);

}  // namespace gantry::gpu
