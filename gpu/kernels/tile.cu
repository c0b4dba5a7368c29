#include "gpu/kernels/tile.h"

#include "gpu/kernels/tile_kernel.cuh"

namespace gantry::gpu {

namespace {

struct CompiledShape {
    TileShape shape;
    std::size_t (*sharedBytes)(const TileBox& largest, int stages);
    cudaError_t (*launch)(BoxCopy, const TileTask&, const TileMaps&, cudaStream_t);
};

template <class S>
constexpr CompiledShape compiled(int stages) {
    return {{S::x, S::y, S::z, S::warps, S::blocksPerUnit, stages, S::order, S::boxRows,
             (S::split ? 2.0 : 1.0) * S::up / S::lanes},
            sharedBytes<S>,
            launchShape<S>};
}

constexpr auto kPairs = TileOrder::pairs;
constexpr auto kSplitPairs = TileOrder::splitPairs;
constexpr auto kSplitPixels = TileOrder::splitPixels;

// Of those that suit a launch the first one that fits is taken. High tiles take fewer constants a
// voxel. Wide ones share more of a view's columns, and pixels that come without their differences
// take half the room: both pay where voxels step by about two.
constexpr CompiledShape kShapes[] = {
    compiled<Shape<8, 8, 128, 8, 3, kPairs>>(2),
    compiled<Shape<12, 8, 128, 12, 2, kPairs>>(3),
    compiled<Shape<8, 8, 128, 8, 3, kSplitPairs>>(2),
    compiled<Shape<12, 8, 128, 12, 2, kSplitPairs>>(2),
    compiled<Shape<12, 8, 64, 8, 3, kSplitPairs>>(2),
    compiled<Shape<8, 8, 64, 8, 3, kSplitPairs>>(2),
    compiled<Shape<12, 8, 112, 12, 2, kSplitPixels, 28, 320>>(2),
    compiled<Shape<16, 12, 56, 12, 2, kSplitPixels, 28, 168>>(3),
};

}  // namespace

int tileShapeCount() {
    return sizeof(kShapes) / sizeof(kShapes[0]);
}

TileShape tileShape(int number) {
    return kShapes[number].shape;
}

std::size_t tileSharedBytes(int shape, const TileBox& largest, int stages) {
    return kShapes[shape].sharedBytes(largest, stages);
}

BoxCopy bestBoxCopy() {
    return boxCopyOfCode<Shape<8, 8, 128, 8, 3, TileOrder::pairs>>();
}

cudaError_t launchTile(int shape, BoxCopy copy, const TileTask& task, const TileMaps& maps,
                       cudaStream_t stream) {
    return kShapes[shape].launch(copy, task, maps, stream);
}

}  // namespace gantry::gpu
