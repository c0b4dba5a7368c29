#pragma once

#include "gpu/kernels/project/ray_views.h"
#include "gpu/kernels/tile/tile.h"

namespace gantry::gpu {

/// Voxels of a tile that rays are added to: high tiles need fewer constants a voxel, where their
/// footprints fit a box.
struct SpreadTile {
    int x, y, z;
};
inline constexpr SpreadTile kSpreadTiles[] = {{8, 4, 256}, {8, 8, 128}, {8, 4, 64}};
inline constexpr int kSpreadTileCount = 3;

/// The work of one launch: adds to each voxel its shares of the rays of some fans along x or y.
/// Only for upright views: see TileRaysTask.
struct TileSpreadTask {
    RayFans fans;  ///< at most kMaxSpreadFans
    RayRows rows;  ///< scaled by scaleRays()
    RaySlab slab;
    int shape = 0;       ///< of kSpreadTiles
    int maxColumns = 0;  ///< of a fan within one voxel of a voxel, at most
    TileBox boxes[kBoxSizes];
    int stages = 0;
};
inline constexpr int kMaxSpreadFans = 32;

/// Rays of a fan that a tile of voxels meets.
struct SpreadFootprint {
    double columns = 0;
    double rows = 0;
    double perVoxel = 0;  ///< columns that one voxel meets
};

/// The footprint of the tile whose first voxel is (x, y, z), on a view. fans: in host memory. Huge
/// where the tile is not before the source
SpreadFootprint footprintOf(const RayFans& fans, int number, const SpreadTile& tile, int x, int y,
                            int z);

/// Shared memory that a block takes, bytes.
std::size_t tileSpreadSharedBytes(int shape, const TileBox& largest, int maxColumns, int stages);

/// maps: boxes of rays [s][u][v], by pairs of v
cudaError_t spreadTileRays(const TileSpreadTask& task, const TileMaps& maps, cudaStream_t stream);

}  // namespace gantry::gpu
