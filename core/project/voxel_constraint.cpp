#include "core/project/voxel_constraint.h"

#include <algorithm>
#include <cstddef>

namespace gantry {

const unsigned char* VoxelConstraint::maskAt(Index z, Index voxel) const {
    if (mask.empty()) return nullptr;
    const bool isOneSlice = mask.size() == static_cast<std::size_t>(sliceVoxels);
    return mask.data() + (isOneSlice ? 0 : z * sliceVoxels) + voxel;
}

void VoxelConstraint::apply(Index z, Index voxel, Index count, float* values) const {
    const auto [min, max] = bounds;
    for (Index i = 0; i < count; ++i)
        values[i] = std::min(std::max(values[i], min), max);
    if (const unsigned char* isFree = maskAt(z, voxel))
        for (Index i = 0; i < count; ++i)
            values[i] = isFree[i] ? values[i] : 0;
}

}  // namespace gantry
