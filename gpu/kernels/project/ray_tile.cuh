#pragma once

#include "gpu/kernels/project/ray_math.cuh"
#include "gpu/kernels/project/tile_rays.h"

namespace gantry::gpu {

/// Rows of a tile are counted from this one, so that single precision keeps its bits.
inline constexpr int kMiddleRow = kRayTileRows / 2;

/// A tile of rays: its first fan, its number along the planes, and its first row.
struct RayTile {
    int fan, number, v;
};

/// Rays may pass this many voxels farther along the planes at the first or last plane than at the
/// middle one.
inline constexpr int kMaxSlant = kMaxRayPlanes / 2 + 2;

/// The fan whose columns divide the planes for a group of fans.
__host__ __device__ inline const RayFanOfView& referenceOf(const RayTiles& tiles, int firstFan) {
    const int middle = firstFan + tiles.viewsAtOnce / 2;
    const bool hasMiddle = middle < tiles.fans.count && !isEmpty(tiles.fans.fans[middle]);
    return tiles.fans.fans[hasMiddle ? middle : firstFan];
}

/// Where a view sees a place of the middle plane.
__host__ __device__ inline ViewPlace pixelAcross(const RayTiles& tiles, const RayFanOfView& fan,
                                                 double across) {
    double place[3] = {};
    place[tiles.fans.axis] = tiles.planeBegin + tiles.planes / 2;
    place[1 - tiles.fans.axis] = across;
    return pixelOf(tiles.fans.views[fan.view], place);
}

/// The place along the middle plane at which tile `number` of a group begins.
__host__ __device__ inline double beginOf(const RayTiles& tiles, int firstFan, int number) {
    const RayFanOfView& fan = referenceOf(tiles, firstFan);
    const int a = tiles.fans.axis;
    // Along the planes columns may rise or fall.
    const double low = pixelAcross(tiles, fan, -kMaxSlant).u;
    const double high = pixelAcross(tiles, fan, tiles.across - 1 + kMaxSlant).u;
    const double u = low + (low < high ? number : -number) * tiles.columnsPerTile;
    const RayLine ray = rayAt(tiles.fans.views[fan.view], u, 0);
    return ray.from[1 - a] +
           (tiles.planeBegin + tiles.planes / 2 - ray.from[a]) / ray.along[a] * ray.along[1 - a];
}

/// The fan of column (i, j) of a tile; beyond the last where there is none.
__host__ __device__ inline int fanOf(const RayTiles& tiles, const RayTile& tile, int j) {
    return tile.fan + j % tiles.viewsAtOnce;
}

/// Columns of one view.
struct RayColumns {
    int begin = 0, end = 0;
};

/// The columns of a fan that belong to a tile: each belongs to one.
__host__ __device__ inline RayColumns columnsOf(const RayTiles& tiles, const RayTile& tile,
                                                const RayFanOfView& fan) {
    if (isEmpty(fan) || isEmpty(referenceOf(tiles, tile.fan))) return {};
    int ends[2];
    for (int i = 0; i < 2; ++i) {
        const double u = ceil(pixelAcross(tiles, fan, beginOf(tiles, tile.fan, tile.number + i)).u);
        ends[i] = static_cast<int>(fmin(fmax(u, double(fan.columnBegin)), double(fan.columnEnd)));
    }
    return ends[0] < ends[1] ? RayColumns{ends[0], ends[1]} : RayColumns{ends[1], ends[0]};
}

/// Those of (0 …, j) that are a tile's.
__host__ __device__ inline RayColumns columnsOf(const RayTiles& tiles, const RayTile& tile, int j) {
    const int number = fanOf(tiles, tile, j);
    if (number >= tiles.fans.count) return {};
    const RayColumns all = columnsOf(tiles, tile, tiles.fans.fans[number]);
    const int begin = all.begin + j / tiles.viewsAtOnce * kRayTileColumns;
    const int end = begin + kRayTileColumns < all.end ? begin + kRayTileColumns : all.end;
    return {begin, end > begin ? end : begin};
}

/// A column of rays of an upright view as it goes from plane to plane.
struct ColumnPath {
    double b0 = 0, bStep = 0;        ///< the voxel column at plane 0, and its change
    double z0 = 0, zStep = 0;        ///< the height of the tile's middle row
    double rise0 = 0, riseStep = 0;  ///< of a row upwards
    int planeBegin = 0, planeEnd = 0;
};

/// v: the tile's middle row. Empty where the column is not the fan's.
__host__ __device__ inline ColumnPath pathOf(const RayFans& fans, const RayFanOfView& fan, int u,
                                             double v) {
    ColumnPath path;
    if (u < fan.columnBegin || u >= fan.columnEnd) return path;
    const RayView& view = fans.views[fan.view];
    const RayLine ray = rayAt(view, u, v);
    const int a = fans.axis;
    const double perPlane = 1 / ray.along[a];
    path.bStep = ray.along[1 - a] * perPlane;
    path.b0 = ray.from[1 - a] - ray.from[a] * path.bStep;
    path.zStep = ray.along[2] * perPlane;
    path.z0 = ray.from[2] - ray.from[a] * path.zStep;
    path.riseStep = view.vStep.along[2] * perPlane;
    path.rise0 = view.vStep.from[2] - ray.from[a] * path.riseStep;
    path.planeBegin = fan.planeBegin;
    path.planeEnd = fan.planeEnd;
    return path;
}

/// The path of the first (end 0) or last of columns (0 …, j).
__host__ __device__ inline ColumnPath pathOfEnd(const RayTiles& tiles, const RayTile& tile, int j,
                                                const RayColumns& columns, int end) {
    if (columns.begin >= columns.end) return {};
    return pathOf(tiles.fans, tiles.fans.fans[fanOf(tiles, tile, j)],
                  end == 0 ? columns.begin : columns.end - 1, tile.v + kMiddleRow);
}

}  // namespace gantry::gpu
