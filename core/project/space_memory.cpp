#include <algorithm>
#include <cmath>
#include <vector>

#include "core/iterate/iteration.h"
#include "core/iterate/method.h"
#include "core/project/host_space.h"
#include "core/project/projection_plan.h"

namespace gantry {

Index HostSpace::bytesNeeded(const SpaceShape& shape, const IterativeMethod& method,
                             Index projectorBytes, Index allSlices) {
    const VectorCounts vectors = vectorsOf(method);
    const Index subsets = subsetCount(method, shape.views);
    const Index subsetViews = (shape.views + subsets - 1) / subsets;
    // Besides: b, M and the chords that it is made of, n, views on their way to the projector.
    const Index views = vectors.views * shape.views + vectors.subsets * subsetViews +
                        (shape.hasCounts ? 4 : 3) * shape.views +
                        std::min(kViewsAtOnce, shape.views);
    const Index volumes = vectors.volumes + 3 * vectors.gradients +
                          (vectors.hasColumnWeights ? 1 : 0) + (vectors.gradients > 0 ? 1 : 0);
    // Those in which a change is measured.
    const Index sampled = 2 * std::min(kSampledSlices, allSlices);
    // Slices of neighbouring parts.
    const Index halos = vectors.gradients > 0 ? 2 : 0;
    const Index slices = volumes * shape.voxels[2] + kReadSlices + sampled + halos;
    const Index maskBytes = shape.voxels[2] * shape.sliceVoxels();
    return (views * shape.viewRays() + slices * shape.sliceVoxels()) * Index{sizeof(float)} +
           maskBytes + projectorBytes;
}

std::vector<unsigned char> fieldOfViewMask(const VolumeGrid& grid, const FieldOfView& field) {
    std::vector<unsigned char> mask;
    for (Index y = 0; y < grid.voxels[1]; ++y)
        for (Index x = 0; x < grid.voxels[0]; ++x) {
            const Vec3 voxel = grid.positionMm(static_cast<double>(x), static_cast<double>(y), 0);
            const double distance =
                std::hypot(voxel.x - field.centerMm[0], voxel.y - field.centerMm[1]);
            mask.push_back(distance <= field.radiusMm ? 1 : 0);
        }
    return mask;
}

}  // namespace gantry
