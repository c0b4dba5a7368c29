#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>

#include "gpu/kernels/cone_batch.h"

namespace gantry::gpu {

/// What the tile kernel's views hold, and how a column's rows follow each other.
enum class TileOrder {
    pairs,        ///< (q, q of the next column − q), so that one fetch and one multiplication
                  ///< interpolate along u; rows in order
    splitPixels,  ///< q alone, in half the memory; even rows before odd ones
};
__host__ __device__ constexpr bool isSplit(TileOrder order) {
    return order == TileOrder::splitPixels;
}
__host__ __device__ constexpr int pixelBytes(TileOrder order) {
    return order == TileOrder::splitPixels ? 4 : 8;
}
/// Columns of a box that a position is interpolated from.
__host__ __device__ constexpr int columnsOfPosition(TileOrder order) {
    return order == TileOrder::splitPixels ? 2 : 1;
}
/// Rows of a box that are copied at once: 16 bytes of each kind.
__host__ __device__ constexpr int rowsAtOnce(TileOrder order) {
    return 16 / pixelBytes(order) * (isSplit(order) ? 2 : 1);
}

/// Views repacked for the tile kernel: [s][column][row], or [s][column][row % 2][row / 2] where
/// rows are split. Column c is detector column c − 1: the first one rises from the 0 outside.
/// Pixels are over the square of the view's rows a voxel and 1/mm, m[1][2]: the weight (1/z)² of a
/// voxel is then that of the rows it steps.
struct TileViews {
    void* pixels = nullptr;
    int columns = 0;  ///< detector columns + 1
    int rows = 0;     ///< a multiple of 8; those beyond the batch's are 0
    TileOrder order = TileOrder::pairs;
    bool perStep = true;  ///< false: pixels are as the views have them
};

/// How a block's pixels come to shared memory, the best way first.
enum class BoxCopy {
    bulk,   ///< bulk (TMA) copies, Hopper and later
    async,  ///< cp.async, Ampere and later
    plain,  ///< loads and stores
};

/// A shape of tile that was compiled. Where rows are split, lanes go up columns together, and boxes
/// have a fixed size. Else each lane makes a column of its own in runs of a few voxels, which share
/// the rows between them: these are by far the faster where their boxes fit.
struct TileShape {
    int x = 0;  ///< voxels
    int y = 0;
    int z = 0;
    int warps = 0;   ///< consumer warps; one more is the producer
    int blocks = 0;  ///< that share a multiprocessor's registers
    int stages = 0;  ///< views in shared memory at once that pay
    TileOrder order = TileOrder::pairs;
    int boxRows = 0;       ///< of its boxes; 0: as many as a launch needs
    bool anyPose = false;  ///< takes views whose detectors are not aligned, and no others
};

/// Pixels of a view that hold a tile's footprint, with both neighbours of every position.
struct TileBox {
    int columns = 0;
    int rows = 0;  ///< a multiple of rowsAtOnce()
};

/// Sizes of boxes that a tile chooses from: all fit the first one.
inline constexpr int kBoxSizes = 4;

/// Rows of a box of pairs, at least that many: 2 modulo 4, so that columns side by side have banks
/// that lie apart, and half a warp on 4 × 4 columns hardly meets one of them twice.
constexpr int rowsOfPairBox(int rows) {
    return (rows + 1) / 4 * 4 + 2;
}

/// What one launch does: adds the views of a batch to a z-fastest slab [y][x][z].
struct TileTask {
    ConeSlab slab;
    TileViews views;
    TileBox boxes[kBoxSizes];
    int stages = 0;  ///< views in shared memory at once
    ConeBatch batch;
};

#if CUDA_VERSION >= 12000
using BoxMap = CUtensorMap;
#else
// The toolkit is older than bulk copies, which are then not used.
struct alignas(64) BoxMap {
    unsigned long long unused[16];
};
#endif

/// How bulk copies find boxes of each size in the views (BoxCopy::bulk).
struct TileMaps {
    BoxMap map[kBoxSizes];
};

/// Shapes that launchTile takes, by number: those for aligned detectors first, then those for views
/// of any pose.
int tileShapeCount();
int poseShapeCount();
TileShape tileShape(int number);

/// Shared memory that a block takes, bytes.
std::size_t tileSharedBytes(int shape, const TileBox& largest, int stages);

/// The best way to copy that the code loaded on the current device has; each also takes those after
/// it in BoxCopy. Code for an older device, compiled for this one as the program starts, has what
/// that device had.
BoxCopy bestBoxCopy();

/// maps: for BoxCopy::bulk, else ignored. copy: bestBoxCopy() or one after it
/// @returns the launch's own result
cudaError_t launchTile(int shape, BoxCopy copy, const TileTask& task, const TileMaps& maps,
                       cudaStream_t stream);

/// The same straight from device memory, where no tile's footprint fits shared memory.
/// wide: larger tiles, whose columns share more of what they fetch, for steps of several pixels
cudaError_t launchTileDirect(const TileTask& task, bool wide, cudaStream_t stream);

}  // namespace gantry::gpu
