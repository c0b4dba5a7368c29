#include "gpu/engine/column_copies.h"
#include "gpu/engine/device_rays.h"
#include "gpu/engine/gpu_space.h"
#include "gpu/kernels/project/ray_views.h"

namespace gantry {

Index gpuSpaceBytes(const SpaceShape& shape, const IterativeMethod& method) {
    const VectorCounts vectors = vectorsOf(method);
    const Index subsets = subsetCount(method, shape.views);
    const Index subsetViews = (shape.views + subsets - 1) / subsets;
    // Besides: b, M and the chords that it is made of, n.
    const Index views = vectors.views * shape.views + vectors.subsets * subsetViews +
                        (shape.hasCounts ? 4 : 3) * shape.views;
    // And a spare one.
    const Index volumes =
        vectors.volumes + 3 * vectors.gradients + (vectors.hasColumnWeights ? 1 : 0) + 1;
    const Index columns = shape.sliceVoxels() * gpu::pitchOf(shape.voxels[2]);
    const Index rays = shape.columns * gpu::pitchOf(shape.rows);
    return (views * rays + volumes * columns) * Index{sizeof(float)} + columns +
           DeviceRays::bytesNeeded(shape.views, shape.columns, shape.rows) +
           ColumnCopies::bytesNeeded(shape.sliceVoxels(), shape.viewRays());
}

}  // namespace gantry
