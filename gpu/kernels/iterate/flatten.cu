#include "gpu/kernels/iterate/flatten.h"

#include "gpu/kernels/iterate/sums.cuh"
#include "gpu/kernels/iterate/voxels.cuh"

namespace gantry::gpu {

namespace {

// A voxel's place among its neighbours.
struct Voxel {
    int x, y, z;
    std::int64_t i;
};

__device__ Voxel voxelAt(const ColumnLayout& layout, std::int64_t column, std::int64_t place) {
    const int c = static_cast<int>(column);
    return {c % layout.nX, c / layout.nX, static_cast<int>(place - column * layout.pitchZ), place};
}

struct Primal {
    FlattenColumns task;
    ColumnConstraint constraint;
    float* out;

    __device__ void operator()(std::int64_t column, std::int64_t place) const {
        const Voxel at = voxelAt(task.layout, column, place);
        const std::int64_t before[3] = {task.layout.pitchZ,
                                        std::int64_t{task.layout.nX} * task.layout.pitchZ, 1};
        const int position[3] = {at.x, at.y, at.z};
        float value = task.volume[place];
        for (int axis = 0; axis < 3; ++axis) {
            const float* dual = task.dual + axis * task.layout.count() + place;
            float previous = position[axis] > 0 ? dual[-before[axis]] : 0.0F;
            if (axis == 2 && at.z == 0 && task.dualBelow) previous = task.dualBelow[column];
            value += task.scale[axis] * task.weight * (dual[0] - previous);
        }
        out[place] = constraint.applied(value, column, place);
    }
};

// The scaled differences to the next voxels, 0 where there is none.
__device__ void differencesAt(const FlattenColumns& task, const float* u, const Voxel& at,
                              float (&out)[3]) {
    const ColumnLayout& layout = task.layout;
    const int nY = static_cast<int>(layout.columns / layout.nX);
    const std::int64_t next[3] = {layout.pitchZ, std::int64_t{layout.nX} * layout.pitchZ, 1};
    const bool hasNext[3] = {at.x + 1 < layout.nX, at.y + 1 < nY, at.z + 1 < layout.nZ};
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = hasNext[axis] ? task.scale[axis] * (u[at.i + next[axis]] - u[at.i]) : 0.0F;
    if (!hasNext[2] && task.above)
        out[2] = task.scale[2] * (task.above[at.i / layout.pitchZ] - u[at.i]);
}

struct Dual {
    FlattenColumns task;
    const float* u;
    float step;

    __device__ void operator()(std::int64_t column, std::int64_t place) const {
        float d[3];
        differencesAt(task, u, voxelAt(task.layout, column, place), d);
        float squares = 0;
        for (int axis = 0; axis < 3; ++axis) {
            d[axis] = task.dual[axis * task.layout.count() + place] + step * d[axis];
            squares += d[axis] * d[axis];
        }
        const float shorter = 1 / fmaxf(1.0F, sqrtf(squares));
        for (int axis = 0; axis < 3; ++axis)
            task.dual[axis * task.layout.count() + place] = d[axis] * shorter;
    }
};

struct Variation {
    FlattenColumns task;

    __device__ void operator()(std::int64_t i, double (&sums)[1]) const {
        const std::int64_t column = i / task.layout.pitchZ;
        const Voxel at = voxelAt(task.layout, column, i);
        if (at.z >= task.layout.nZ) return;
        float d[3];
        differencesAt(task, task.volume, at, d);
        sums[0] += sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    }
};

}  // namespace

cudaError_t flattenPrimal(const FlattenColumns& task, const ColumnConstraint& constraint,
                          float* out, cudaStream_t stream) {
    return forVoxels(Primal{task, constraint, out}, task.layout, stream);
}

cudaError_t flattenDual(const FlattenColumns& task, const float* u, cudaStream_t stream) {
    double norm = 0;
    for (const float scale : task.scale)
        norm += 4.0 * scale * scale;
    return forVoxels(Dual{task, u, static_cast<float>(1 / (task.weight * norm))}, task.layout,
                     stream);
}

cudaError_t sumVariation(const FlattenColumns& task, PartialSums sums, cudaStream_t stream) {
    return launchSums<1, Add>(Variation{task}, task.layout.count(), sums, stream);
}

}  // namespace gantry::gpu
