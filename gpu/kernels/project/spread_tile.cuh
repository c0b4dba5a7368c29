#pragma once

#include "gpu/kernels/project/ray_math.cuh"
#include "gpu/kernels/project/tile_spread.h"

// How a tile of voxels lies to the rays of a fan, for the kernel that spreads rays.
namespace gantry::gpu {

// A fan as the voxels of one tile see it, relative to a column and the middle row of its box
// and to the tile's first voxel at its middle height, so that single precision keeps its bits for
// what is near. With u columns from there, a planes and b voxels along them from the tile's first:
// a ray passes ((e0 + e1·u) + a·(b0 + b1·u)) / (a0 + a1·u) − b from a voxel, along the plane; it
// meets the voxel's height in row (p0 + p1·u + a·(p2 + p3·u)) · g, and steps (r0 + r1·u)·g rows a
// voxel upwards, where g = 1 / (g0 + g1·a).
struct LocalFan {
    float a0, a1, b0, b1, e0, e1;
    double p0, p1, p2, p3, g0, g1, r0, r1;  // in double: they are multiplied by up to 128 voxels
    int size;                               // of the launch's box sizes, or kNothing or kNoBox
    int view;
    int column, row;            // the box's corner
    int columns, rows;          // its size
    int middle;                 // of its rows
    int first, last;            // the fan's columns, counted in the box
    int planeFirst, planeLast;  // its planes, counted in the tile
    int rowsPerVoxel;           // rows that may lie within a voxel's reach, at most
};

struct Tile {
    int x, y, z;
    // Its first plane and first voxel along the plane.
    __host__ __device__ int plane(int axis) const { return axis == 0 ? x : y; }
    __host__ __device__ int across(int axis) const { return axis == 0 ? y : x; }
};

// Corner `corner` of what a tile's voxels reach: (along planes, across, up).
__host__ __device__ inline ViewPlace cornerOf(const RayView& view, const SpreadTile& shape,
                                              const Tile& tile, int axis, int corner) {
    double place[3];
    place[axis] = tile.plane(axis) + (corner & 1 ? (axis == 0 ? shape.x : shape.y) - 1 : 0);
    place[1 - axis] = tile.across(axis) + (corner & 2 ? (axis == 0 ? shape.y : shape.x) : -1);
    place[2] = tile.z + (corner & 4 ? shape.z : -1);
    return pixelOf(view, place);
}

// Rows that a voxel steps upwards, in the plane and column.
__host__ __device__ inline double rowsPerVoxelOf(const RayView& view, int axis, double plane,
                                                 double u) {
    if (view.isParallel) return 1 / view.vStep.from[2];
    return (view.corner.along[axis] + u * view.uStep.along[axis]) /
           ((plane - view.corner.from[axis]) * view.vStep.along[2]);
}

// The parts of a LocalFan that are relative to its box.
template <class S>
__device__ inline void relate(const RayView& view, const Tile& tile, int axis, LocalFan& local) {
    const int b = 1 - axis;
    const RayLine ray = rayAt(view, local.column, local.row + local.middle);
    const double toPlane = tile.plane(axis) - ray.from[axis];
    const double middle = tile.z + S::z / 2;
    const double across = ray.from[b] - tile.across(axis);
    local.a0 = static_cast<float>(ray.along[axis]);
    local.a1 = static_cast<float>(view.uStep.along[axis]);
    local.b0 = static_cast<float>(ray.along[b]);
    local.b1 = static_cast<float>(view.uStep.along[b]);
    local.e0 = static_cast<float>(across * ray.along[axis] + toPlane * ray.along[b]);
    if (view.isParallel) {
        const double perPlane = 1 / ray.along[axis];
        local.e1 = static_cast<float>(view.uStep.from[b] * ray.along[axis] -
                                      view.uStep.from[axis] * ray.along[b]);
        local.p0 = middle - ray.from[2] - toPlane * ray.along[2] * perPlane;
        local.p1 = -view.uStep.from[2] + view.uStep.from[axis] * ray.along[2] * perPlane;
        local.p2 = -ray.along[2] * perPlane;
        local.p3 = 0;
        local.g0 = view.vStep.from[2];
        local.g1 = 0;
        local.r0 = 1;
        local.r1 = 0;
    } else {
        local.e1 =
            static_cast<float>(across * view.uStep.along[axis] + toPlane * view.uStep.along[b]);
        const double up = middle - ray.from[2];
        local.p0 = up * ray.along[axis] - ray.along[2] * toPlane;
        local.p1 = up * view.uStep.along[axis] - view.uStep.along[2] * toPlane;
        local.p2 = -ray.along[2];
        local.p3 = -view.uStep.along[2];
        local.g0 = toPlane * view.vStep.along[2];
        local.g1 = view.vStep.along[2];
        local.r0 = ray.along[axis];
        local.r1 = view.uStep.along[axis];
    }
}

}  // namespace gantry::gpu
