#pragma once

#include "gpu/kernels/tile/run_rise.h"
#include "gpu/kernels/tile/tile.h"

namespace gantry::gpu {

constexpr int kWarp = 32;
constexpr double kBoxSlack = 0.01;  // pixels
constexpr double kFar = 1e6;        // pixels; no detector has as many
constexpr int kNoBox = -1;

// A view as the columns of one tile see it, relative to the box of pixels that is copied, so that
// single precision keeps 24 bits of the few pixels of the box.
struct __align__(16) TileView {
    float u0, uX, uY, uZ;  // (u − corner)·z, affine in the tile's voxels from its middle height
    float v0, vX, vY, vZ;  // (v − the footprint's middle row)·z
    float z0, zX, zY, zZ;
    float depthPerRow;  // 1/vZ
    float fewer;        // −rows
    int middle;         // an even row in the middle of the footprint, counted in the box
    int size;           // which of the launch's box sizes it is; kNoBox: the footprint fits none
    int column, row;    // the box's corner in the views' memory
    int columns, rows;  // its size; rows are a multiple of rowsAtOnce()
    int lastX, lastY;   // the tile's last column in the slab; those beyond repeat it
    int rise;           // how its columns rise where the tile is made in runs: see run_rise.h
};

// Whether a tile's footprint is copied to shared memory at all.
template <class S>
__device__ __forceinline__ bool hasBox(const TileView& view) {
    return !S::anyPose || view.size != kNoBox;
}

// Warp lanes that go up one column, whose constants are loaded once for all the voxels that a lane
// has there. Shared memory serves 8-byte loads half a warp at a time, and 4-byte loads a whole one.
constexpr int lanesUp(TileOrder order) {
    return kWarp / (pixelBytes(order) / 4);
}

// A warp of a tile in runs takes 8 × 4 columns, half of it 4 × 4: at any angle their footprints are
// closest together, and cause the fewest bank conflicts.
constexpr int kPatchX = 8;
constexpr int kPatchY = 4;

// Lanes: how many of the lanes that go up a column have voxels of their own. Where neighbouring
// voxels lie so far apart that all lanes would conflict on banks, fewer work and the others repeat
// the last one. BoxRows: see TileShape::boxRows.
template <int X, int Y, int Z, int Warps, int BlocksPerUnit, TileOrder Order,
          int Lanes = lanesUp(Order), int BoxRows = 0>
struct Shape {
    static constexpr int x = X, y = Y, z = Z, warps = Warps, blocksPerUnit = BlocksPerUnit;
    static constexpr TileOrder order = Order;
    static constexpr bool split = isSplit(Order);
    static constexpr int lanes = Lanes;
    static constexpr int boxRows = BoxRows;
    static constexpr bool inRuns = false;
    static constexpr bool anyPose = false;
    static constexpr int columns = X * Y;
    static constexpr int up = lanesUp(Order);
    static constexpr int atOnce = kWarp / up;  // columns that a warp goes up at once
    // rounds in which it goes up all of its columns
    static constexpr int rounds = columns / Warps / atOnce;
    static constexpr int perLane = Z / Lanes;  // voxels of a column that a lane holds
    static_assert(columns % (atOnce * Warps) == 0 && columns % kWarp == 0 && Z % Lanes == 0);
    static_assert(BoxRows % rowsAtOnce(Order) == 0 &&
                  (BoxRows > 0) == (Order == TileOrder::splitPixels));
};

// A tile whose warp lanes take different columns, each 32 voxels one above the other, made in runs
// of a few: neighbours in a run share the rows between them, so a run reads little more than one
// row a voxel where other tiles read two.
template <int X, int Y, int Z, int BlocksPerUnit>
struct RunShape {
    static constexpr int x = X, y = Y, z = Z, blocksPerUnit = BlocksPerUnit;
    static constexpr TileOrder order = TileOrder::pairs;
    static constexpr bool split = false;
    static constexpr int boxRows = 0;
    static constexpr bool inRuns = true;
    static constexpr bool anyPose = false;
    static constexpr int columns = X * Y;
    static constexpr int patches = columns / kWarp;  // patches of columns, one a warp
    static constexpr int rounds = 1;
    static constexpr int perLane = kWarp;
    static constexpr int warps = patches * (Z / perLane);
    static_assert(X % kPatchX == 0 && Y % kPatchY == 0 && Z % perLane == 0);
    static_assert(perLane % kRises[0].voxels == 0);
};

// A tile in runs for views of any pose, where u and z change along a column too: each voxel has a
// position of its own.
template <int X, int Y, int Z, int BlocksPerUnit>
struct PoseShape : RunShape<X, Y, Z, BlocksPerUnit> {
    static constexpr bool anyPose = true;
};

// A tile's first voxel.
struct TilePlace {
    int x;
    int y;
    int z;
};

// This many warp lanes place a tile in a view, one for each corner across.
constexpr int kCorners = 4;

// The minimum over the lanes of a view's corners.
template <class Number>
__device__ __forceinline__ Number minOfCorners(Number value) {
#pragma unroll
    for (int other = 1; other < kCorners; other *= 2)
        value = min(value, __shfl_xor_sync(0xFFFFFFFFU, value, other));
    return value;
}

// The whole number below a place on the detector; a far one for places that no box reaches.
__device__ __forceinline__ int pixelBelow(double place) {
    return fabs(place) < kFar ? __double2int_rd(place) : static_cast<int>(kFar);
}

// Places the corner and the middle row of a box that holds the footprint, between the extremes that
// the tile's corners project to. @returns the size that it needs
template <class S>
__device__ __forceinline__ TileBox placeCorner(double uLow, double uHigh, double vLow, double vHigh,
                                               TileView& view) {
    constexpr int kRowsAtOnce = rowsAtOnce(S::order);
    constexpr int kBeyond = S::inRuns && !S::anyPose ? kRowsBeyondRun : 0;
    // The slack covers single precision's rounding.
    const int u = minOfCorners(pixelBelow(uLow - kBoxSlack));
    const int v = minOfCorners(pixelBelow((vLow - kBoxSlack) / kRowsAtOnce)) * kRowsAtOnce;
    const int columns =
        -minOfCorners(-pixelBelow(uHigh + kBoxSlack)) - u + columnsOfPosition(S::order);
    const int rows = -minOfCorners(-pixelBelow(vHigh + kBoxSlack)) - v + 2 + kBeyond;
    view.column = u + 1;
    view.row = v;
    view.middle = rows / 4 * 2;
    return {columns, rows};
}

__device__ __forceinline__ bool fits(const TileBox& needed, const TileBox& box) {
    return needed.columns <= box.columns && needed.rows <= box.rows;
}

// Sets where a tile's box begins and ends. Computes in double, but only once a tile and view.
template <class S>
__device__ void placeBox(const TileTask& task, const double (&m)[3][4], const TilePlace& tile,
                         TileView& view) {
    // Upwards, rows rise along a straight line, so a tile may reach beyond the slab there.
    const int corner = static_cast<int>(threadIdx.x) % kCorners;
    const double i = tile.x + (corner & 1) * view.lastX;
    const double j = tile.y + (corner >> 1) * view.lastY;
    const double perDepth = 1 / (m[2][0] * i + m[2][1] * j + m[2][3]);
    const double ownU = (m[0][0] * i + m[0][1] * j + m[0][3]) * perDepth;
    const double step = m[1][2] * perDepth;
    const double bottom = (m[1][0] * i + m[1][1] * j + m[1][3]) * perDepth + step * tile.z;
    const double top = bottom + step * (S::z - 1);
    if constexpr (S::inRuns) {
        const auto rows = static_cast<float>(step);
        view.rise = riseOf(minOfCorners(rows), -minOfCorners(-rows), RiseNumbers());
    }
    const TileBox needed = placeCorner<S>(ownU, ownU, bottom, top, view);
    view.size = 0;
    for (int size = 1; size < kBoxSizes; ++size)
        if (fits(needed, task.boxes[size])) view.size = size;
    view.columns = task.boxes[view.size].columns;
    view.rows = task.boxes[view.size].rows;
}

// The same for a view of any pose. A tile that is not entirely before the source, or whose
// footprint is larger than any box, gets none.
template <class S>
__device__ void placePoseBox(const TileTask& task, const double (&m)[3][4], const TilePlace& tile,
                             TileView& view) {
    const int corner = static_cast<int>(threadIdx.x) % kCorners;
    const double i = tile.x + (corner & 1) * (S::x - 1);
    const double j = tile.y + (corner >> 1) * (S::y - 1);
    const auto at = [&](int row, int k) {
        return m[row][0] * i + m[row][1] * j + m[row][2] * k + m[row][3];
    };
    const int top = tile.z + S::z - 1;
    const double perDepth = 1 / at(2, tile.z);
    const double perTopDepth = 1 / at(2, top);
    const double u0 = at(0, tile.z) * perDepth;
    const double u1 = at(0, top) * perTopDepth;
    const double v0 = at(1, tile.z) * perDepth;
    const double v1 = at(1, top) * perTopDepth;
    const TileBox needed =
        placeCorner<S>(fmin(u0, u1), fmax(u0, u1), fmin(v0, v1), fmax(v0, v1), view);
    const bool isBefore = perDepth > 0 && perTopDepth > 0;
    const bool allBefore = minOfCorners(isBefore ? 1 : 0) > 0;
    view.size = kNoBox;
    for (int size = 0; allBefore && size < kBoxSizes; ++size)
        if (fits(needed, task.boxes[size])) view.size = size;
    view.columns = view.size == kNoBox ? 0 : task.boxes[view.size].columns;
    view.rows = view.size == kNoBox ? 0 : task.boxes[view.size].rows;
    view.fewer = static_cast<float>(-view.rows);
    view.rise = 0;
}

// What the positions of a tile are relative to.
enum class CountFrom {
    box,     // the box that holds its footprint; the tile lies before the source
    middle,  // the projection of its middle; the tile lies anywhere
};

// Sets the pixel that a tile's positions are relative to where no box is copied: the projection of
// its middle, or of a corner where the middle is not before the source. Pixels beyond the detector
// are not seen, and positions are coarser the farther they are from it.
template <class S>
__device__ void placeMiddle(const TileTask& task, const double (&m)[3][4], const TilePlace& tile,
                            TileView& view) {
    double i = tile.x + view.lastX / 2;
    double j = tile.y + view.lastY / 2;
    double depth = m[2][0] * i + m[2][1] * j + m[2][3];
    for (int corner = 0; corner < 4 && !(depth > 0); ++corner) {
        i = tile.x + (corner & 1) * view.lastX;
        j = tile.y + (corner >> 1) * view.lastY;
        depth = m[2][0] * i + m[2][1] * j + m[2][3];
    }
    const auto pixel = [depth](double numerator, int count) {
        return depth > 0 ? static_cast<int>(fmin(fmax(numerator / depth, 0.0), double(count))) : 0;
    };
    const int k = tile.z + S::z / 2;
    view.column = pixel(m[0][0] * i + m[0][1] * j + m[0][3], task.views.columns) + 1;
    view.row = pixel(m[1][0] * i + m[1][1] * j + m[1][2] * k + m[1][3], task.views.rows);
    view.columns = view.rows = view.middle = view.size = view.rise = 0;
}

template <class S, CountFrom from>
__device__ TileView tileView(const TileTask& task, int s, const TilePlace& tile) {
    const double(&m)[3][4] = task.batch.m[s];
    TileView view;
    view.lastX = min(S::x, task.slab.nX - tile.x) - 1;
    view.lastY = min(S::y, task.slab.nY - tile.y) - 1;
    if constexpr (S::anyPose)
        placePoseBox<S>(task, m, tile, view);
    else if constexpr (from == CountFrom::box)
        placeBox<S>(task, m, tile, view);
    else
        placeMiddle<S>(task, m, tile, view);
    const double u = view.column - 1;
    const double v = view.row + view.middle;
    const double x = tile.x;
    const double y = tile.y;
    const double middle = tile.z + S::z / 2;
    const double depth = m[2][0] * x + m[2][1] * y + m[2][2] * middle + m[2][3];
    view.uX = static_cast<float>(m[0][0] - u * m[2][0]);
    view.uY = static_cast<float>(m[0][1] - u * m[2][1]);
    view.uZ = static_cast<float>(m[0][2] - u * m[2][2]);
    view.u0 =
        static_cast<float>(m[0][0] * x + m[0][1] * y + m[0][2] * middle + m[0][3] - u * depth);
    view.vX = static_cast<float>(m[1][0] - v * m[2][0]);
    view.vY = static_cast<float>(m[1][1] - v * m[2][1]);
    view.v0 =
        static_cast<float>(m[1][0] * x + m[1][1] * y + m[1][2] * middle + m[1][3] - v * depth);
    view.zX = static_cast<float>(m[2][0]);
    view.zY = static_cast<float>(m[2][1]);
    view.zZ = static_cast<float>(m[2][2]);
    view.z0 = static_cast<float>(depth);
    view.vZ = static_cast<float>(m[1][2] - v * m[2][2]);
    view.depthPerRow = static_cast<float>(1 / m[1][2]);
    return view;
}

}  // namespace gantry::gpu
