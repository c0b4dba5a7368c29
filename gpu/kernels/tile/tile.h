#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>

#include "gpu/kernels/cone_batch.h"
#include "gpu/kernels/prepare/filtered_views.h"

namespace gantry::gpu {

/// The content of the tile kernel's views, and the order of a column's rows.
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
/// Columns of a box that one position is interpolated from.
__host__ __device__ constexpr int columnsOfPosition(TileOrder order) {
    return order == TileOrder::splitPixels ? 2 : 1;
}
/// Rows of a box that are copied at once: 16 bytes of each kind.
__host__ __device__ constexpr int rowsAtOnce(TileOrder order) {
    return 16 / pixelBytes(order) * (isSplit(order) ? 2 : 1);
}

/// Views repacked for the tile kernel: [s][column][row], or [s][column][row % 2][row / 2] where
/// rows are split. Column c is detector column c − 1: the first one rises from the 0 outside.
/// Pixels are divided by the square of m[1][2], the view's rows a voxel and 1/mm: the weight (1/z)²
/// of a voxel then is the square of the rows it steps.
struct TileViews {
    void* pixels = nullptr;
    int columns = 0;  ///< detector columns + 1
    int rows = 0;     ///< a multiple of 8; rows beyond the batch's are 0
    TileOrder order = TileOrder::pairs;
    bool perStep = true;  ///< false: pixels are not scaled
};

/// How a block's pixels get to shared memory, the fastest way first.
enum class BoxCopy {
    bulk,   ///< bulk (TMA) copies, Hopper and later
    async,  ///< cp.async, Ampere and later
    plain,  ///< loads and stores
};

/// A compiled shape of tile. Where rows are split, the warp lanes go up columns together and boxes
/// have a fixed size. Otherwise each lane makes its own column in runs of a few voxels, which share
/// the rows between them: these shapes are by far the faster where their boxes fit.
struct TileShape {
    int x = 0;  ///< voxels
    int y = 0;
    int z = 0;
    int warps = 0;   ///< consumer warps; one more is the producer
    int blocks = 0;  ///< blocks that share a multiprocessor's registers
    int stages = 0;  ///< views in shared memory at once that pay off
    TileOrder order = TileOrder::pairs;
    int boxRows = 0;       ///< rows of its boxes; 0: as many as a launch needs
    bool anyPose = false;  ///< takes only views whose detectors are not aligned
};

/// Pixels of a view that hold a tile's footprint, with both neighbours of every position.
struct TileBox {
    int columns = 0;
    int rows = 0;  ///< a multiple of rowsAtOnce()
};

/// Sizes of boxes that a tile chooses from: all fit the first one.
inline constexpr int kBoxSizes = 4;

/// Rows of a box of pairs, at least that many: 2 modulo 4, so that neighbouring columns start on
/// distant banks, and half a warp on 4 × 4 columns hardly meets one of them twice.
constexpr int rowsOfPairBox(int rows) {
    return (rows + 1) / 4 * 4 + 2;
}

/// The work of one launch: adds the views of a batch to a z-fastest slab [y][x][z].
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
// Unused: this toolkit is too old for bulk copies.
struct alignas(64) BoxMap {
    unsigned long long unused[16];
};
#endif

/// How bulk copies find boxes of each size in the views (BoxCopy::bulk).
struct TileMaps {
    BoxMap map[kBoxSizes];
};

/// Counts of the shapes that launchTile takes by number: those for aligned detectors come first,
/// then those for views of any pose.
int tileShapeCount();
int poseShapeCount();
TileShape tileShape(int number);

/// Shared memory that a block takes, bytes.
std::size_t tileSharedBytes(int shape, const TileBox& largest, int stages);

/// The best way to copy in the code loaded on the current device, which also has those after it in
/// BoxCopy. Code for an older device, compiled for this one as the program starts, has what that
/// device had.
BoxCopy bestBoxCopy();

/// maps: for BoxCopy::bulk, else ignored. copy: bestBoxCopy() or one after it
/// @returns the launch's own result
cudaError_t launchTile(int shape, BoxCopy copy, const TileTask& task, const TileMaps& maps,
                       cudaStream_t stream);

/// Does the same straight from device memory, where no tile's footprint fits shared memory. wide:
/// larger tiles for steps of several pixels, whose columns share more of what they fetch
cudaError_t launchTileDirect(const TileTask& task, bool wide, cudaStream_t stream);

/// Repacks a batch's views for the tile kernel into the layout of `to`, which has room for views.nS
/// views.
cudaError_t packTileViews(const FilteredViews& views, const ConeBatch& batch, const TileViews& to,
                          cudaStream_t stream);

}  // namespace gantry::gpu
