#include "core/plan/slabs.h"

#include <algorithm>

#include "core/geometry/footprint.h"

namespace gantry {

std::vector<SlabPlan> planSlabs(const AlignedViews& aligned, const VolumeGrid& grid,
                                Index mostSlices) {
    const Index nZ = grid.voxels[2];
    const Index count = (nZ + mostSlices - 1) / std::max<Index>(1, mostSlices);
    std::vector<SlabPlan> slabs;
    slabs.reserve(static_cast<std::size_t>(count));
    for (Index i = 0; i < count; ++i) {
        const IndexRange slices = {i * nZ / count, (i + 1) * nZ / count};
        slabs.push_back({slices, footprintRows(aligned, grid, slices)});
    }
    return slabs;
}

}  // namespace gantry
