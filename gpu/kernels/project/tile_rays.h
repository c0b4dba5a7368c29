#pragma once

#include "gpu/kernels/project/ray_views.h"
#include "gpu/kernels/tile/tile.h"

namespace gantry::gpu {

/// A tile of rays has so many detector columns of each of so many views, or groups of columns of
/// fewer views, and so many rows.
inline constexpr int kRayTileColumns = 8;
inline constexpr int kRayTileViews = 8;
inline constexpr int kRayTileRows = 128;

/// Max planes of one launch.
inline constexpr int kMaxRayPlanes = 32;

/// How rays are divided into tiles for some planes along x or y. A tile's columns of each of its
/// views are those that pass the middle one of the planes between the same two places, which are
/// those of every columnsPerTile-th column of the tile's middle view.
struct RayTiles {
    RayFans fans;
    int viewsAtOnce = 8;  ///< 1, 2, 4 or 8
    int planeBegin = 0;
    int planes = 0;             ///< at most kMaxRayPlanes
    int across = 0;             ///< voxels along the planes
    double columnsPerTile = 0;  ///< so few that no view has more than capacity()
    int count = 0;              ///< tiles along the planes

    /// Columns of each view that a tile has room for.
    [[nodiscard]] __host__ __device__ int capacity() const {
        return kRayTileColumns * (kRayTileViews / viewsAtOnce);
    }
};

/// The work of one launch: adds to rays what they meet in some planes. Only for fans of upright
/// views, whose columns keep to a column of voxels in each plane and rise along z.
struct TileRaysTask {
    RayTiles tiles;
    RaySlab slab;
    RayRows rows;
    TileBox boxes[kBoxSizes];
    int stages = 0;
};

/// Sets columnsPerTile and count for planes that the rest describes. @returns whether all fans can
/// be divided: some may pass the planes behind their source. tiles.fans: in host memory
bool divide(RayTiles& tiles);

/// Voxels of a plane that a tile's rays pass, along the plane and upwards.
struct RayFootprint {
    double across = 0;
    double up = 0;
};

/// The footprint in a plane of tile `number` along the planes whose first fan and row these are.
/// The same numbers that the kernel computes. tiles.fans: in host memory
RayFootprint footprintOf(const RayTiles& tiles, int fan, int number, int v, int plane);

/// Shared memory that a block takes, bytes.
std::size_t tileRaysSharedBytes(const TileBox& largest, int stages);

/// maps: boxes of one plane of the slab [y][x][z], by pairs of z
cudaError_t sumTileRays(const TileRaysTask& task, const TileMaps& maps, cudaStream_t stream);

}  // namespace gantry::gpu
