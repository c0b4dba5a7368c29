#pragma once

#include "gpu/kernels/project/ray_math.cuh"
#include "gpu/kernels/project/stages.cuh"
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

// Corner `corner` of what a tile's voxels reach: (along planes, across, up).
__host__ __device__ inline ViewPlace cornerOf(const RayView& view, const SpreadTile& tile, int axis,
                                              int corner) {
    double place[3];
    place[axis] = tile.plane + (corner & 1 ? kSpreadPlanes - 1 : 0);
    place[1 - axis] = tile.across + (corner & 2 ? kSpreadAcross : -1);
    place[2] = tile.sliceBegin + (corner & 4 ? tile.slices : -1);
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
__device__ inline void relate(const RayView& view, const SpreadTile& tile, int axis,
                              LocalFan& local) {
    const int b = 1 - axis;
    const RayLine ray = rayAt(view, local.column, local.row + local.middle);
    const double toPlane = tile.plane - ray.from[axis];
    const double middle = tile.sliceBegin + tile.slices / 2;
    const double across = ray.from[b] - tile.across;
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

// The rays of one detector column that pass the tile in one plane, between two voxel columns.
struct __align__(16) SpreadEntry {
    float row;         // below the lowest that may reach a voxel at the tile's middle height
    float step;        // rows a voxel upwards
    float perRow;      // voxels a row
    unsigned address;  // of the column's first row, minus the magic number's own bits
    float shares[2];   // of the two voxel columns
    int upper;         // of these; the lower or the upper one may be beyond the tile
    int unused;
};

// Rows are summed by pairs, each one fetch, where they are about half a voxel apart: lanes then
// read different banks. Columns begin at even rows.
constexpr int kPairedRows = 6;

// How many rows the kernel sums for a voxel that has so many within its reach, see addEntries(). A
// pair may begin one row below these.
__device__ inline int compiledRows(int rows) {
    if (rows <= 2) return 2;
    if (rows == 4 || rows == 5) return kPairedRows;
    return rows == kPairedRows ? rows + 1 : rows;
}

// 1/x to the last bit but one.
__device__ inline float refinedReciprocal(float x) {
    float estimate;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(estimate) : "f"(x));
    return fmaf(estimate, fmaf(-x, estimate, 1.0F), estimate);
}

// The columns of a fan that pass the tile in plane `a`, counted in the box.
struct Reach {
    int first, count;
};
__device__ inline Reach reachOf(const LocalFan& fan, float a) {
    const float n0 = fmaf(a, fan.b0, fan.e0);
    const float n1 = fmaf(a, fan.b1, fan.e1);
    const auto at = [&](float b) {
        return fmaf(b, fan.a0, -n0) * refinedReciprocal(fmaf(-b, fan.a1, n1));
    };
    const float one = at(-1);
    const float other = at(kSpreadAcross);
    constexpr float kSlack = 1e-3F;
    const int first = max(static_cast<int>(ceilf(fminf(one, other) - kSlack)), max(fan.first, 0));
    const int last =
        min(static_cast<int>(floorf(fmaxf(one, other) + kSlack)), min(fan.last, fan.columns - 1));
    return {first, max(0, last - first + 1)};
}

__device__ inline SpreadEntry entryOf(const LocalFan& fan, float a, int column, unsigned box) {
    const auto u = static_cast<float>(column);
    const float along = fmaf(fan.a1, u, fan.a0);
    const float across = fmaf(a, fmaf(fan.b1, u, fan.b0), fmaf(fan.e1, u, fan.e0));
    SpreadEntry entry;
    const float b = across * refinedReciprocal(along);
    const float lower = floorf(b);
    // Rounding may take a ray beyond what the tile reaches.
    const bool passes = lower >= -1 && lower < kSpreadAcross;
    entry.upper = passes ? static_cast<int>(lower) + 1 : 0;
    entry.shares[0] = passes ? 1 - (b - lower) : 0;
    entry.shares[1] = passes ? b - lower : 0;
    const double depth = fan.g0 + fan.g1 * a;
    const double estimate = refinedReciprocal(static_cast<float>(depth));
    const double g = estimate * (2 - depth * estimate);
    const double step = (fan.r0 + fan.r1 * u) * g;
    entry.step = static_cast<float>(step);
    entry.perRow = refinedReciprocal(entry.step);
    // The row above which rays lie less than one voxel below.
    double row = (fan.p0 + fan.p1 * u + a * (fan.p2 + fan.p3 * u)) * g - step;
    unsigned first = static_cast<unsigned>(fan.middle + 1) - kWholeMagicBits;
    if (fan.rowsPerVoxel == kPairedRows) {  // counted in pairs
        row = (row + 1) / 2;
        entry.step /= 2;
        first = static_cast<unsigned>(fan.middle) - 2 * kWholeMagicBits;
    }
    entry.row = static_cast<float>(row);
    entry.address =
        box + static_cast<unsigned>(column * fan.rows) * kFloatBytes + first * kFloatBytes;
    return entry;
}

}  // namespace gantry::gpu
