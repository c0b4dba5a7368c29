#include "gpu/kernels/tile/tile.h"

#include "gpu/kernels/tile/tile_kernel.cuh"

namespace gantry::gpu {

namespace {

struct CompiledShape {
    TileShape shape;
    std::size_t (*sharedBytes)(const TileBox& largest, int stages);
    cudaError_t (*launch)(BoxCopy, const TileTask&, const TileMaps&, cudaStream_t);
};

template <class S>
constexpr CompiledShape compiled(int stages) {
    return {
        {S::x, S::y, S::z, S::warps, S::blocksPerUnit, stages, S::order, S::boxRows, S::anyPose},
        sharedBytes<S>,
        launchShape<S>};
}

// High tiles need fewer constants a voxel. Wide ones share more of a view's columns, and pixels
// without their differences take half the room: both pay off where voxels step about two rows.
constexpr CompiledShape kShapes[] = {
    compiled<RunShape<8, 8, 128, 3>>(4),
    compiled<RunShape<16, 8, 64, 3>>(4),
    compiled<RunShape<16, 16, 32, 3>>(4),
    compiled<Shape<12, 8, 112, 12, 2, TileOrder::splitPixels, 28, 320>>(2),
    compiled<Shape<16, 12, 56, 12, 2, TileOrder::splitPixels, 28, 168>>(3),
    compiled<PoseShape<16, 16, 32, 3>>(4),
};
constexpr int kPoseShapes = 1;

}  // namespace

int tileShapeCount() {
    return sizeof(kShapes) / sizeof(kShapes[0]) - kPoseShapes;
}

int poseShapeCount() {
    return kPoseShapes;
}

TileShape tileShape(int number) {
    return kShapes[number].shape;
}

std::size_t tileSharedBytes(int shape, const TileBox& largest, int stages) {
    return kShapes[shape].sharedBytes(largest, stages);
}

BoxCopy bestBoxCopy() {
    return boxCopyOfCode<RunShape<8, 8, 128, 3>>();
}

cudaError_t launchTile(int shape, BoxCopy copy, const TileTask& task, const TileMaps& maps,
                       cudaStream_t stream) {
    return kShapes[shape].launch(copy, task, maps, stream);
}

}  // namespace gantry::gpu
