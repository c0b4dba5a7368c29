#include "core/plan/slabs.h"

#include <algorithm>

#include "core/geometry/footprint.h"

namespace gantry {

SlabPlan slabOf(const AlignedViews& aligned, const VolumeGrid& grid, const IndexRanges& slices) {
    SlabPlan slab;
    slab.slices = slices;
    for (const IndexRange& part : slices.parts())
        slab.rows = hullOf(slab.rows, footprintRows(aligned, grid, part));
    return slab;
}

std::vector<SlabPlan> planSlabs(const AlignedViews& aligned, const VolumeGrid& grid,
                                Index mostSlices) {
    const Index nZ = grid.voxels[2];
    const Index count = (nZ + mostSlices - 1) / std::max<Index>(1, mostSlices);
    std::vector<SlabPlan> slabs;
    slabs.reserve(static_cast<std::size_t>(count));
    for (Index i = 0; i < count; ++i)
        slabs.push_back(slabOf(aligned, grid, {i * nZ / count, (i + 1) * nZ / count}));
    return slabs;
}

}  // namespace gantry
