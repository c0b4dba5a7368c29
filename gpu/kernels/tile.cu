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
    return {{S::x, S::y, S::z, S::warps, S::blocksPerUnit, stages, S::split},
            sharedBytes<S>,
            launchShape<S>};
}

// Of those that suit a launch the first one that fits is taken. Wide tiles share more of a view's
// columns, which pays where voxels step more than one.
constexpr CompiledShape kShapes[] = {
    compiled<Shape<8, 8, 128, 8, 3, false>>(2),
    compiled<Shape<12, 8, 128, 12, 2, false>>(3),
    compiled<Shape<12, 8, 64, 8, 3, true>>(2),
    compiled<Shape<8, 8, 64, 8, 3, true>>(2),
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
    return boxCopyOfCode<Shape<8, 8, 128, 8, 3, false>>();
}

cudaError_t launchTile(int shape, BoxCopy copy, const TileTask& task, const TileMaps& maps,
                       cudaStream_t stream) {
    return kShapes[shape].launch(copy, task, maps, stream);
}

}  // namespace gantry::gpu
