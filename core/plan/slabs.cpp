#include "core/plan/slabs.h"

#include <algorithm>
#include <utility>

#include "core/base/index_ranges.h"
#include "core/geometry/footprint.h"

namespace gantry {

SlabPlan slabOf(const AlignedViews& aligned, const VolumeGrid& grid, const IndexRanges& slices) {
    SlabPlan slab;
    slab.slices = slices;
    std::vector<IndexRange> rows;
    for (const IndexRange& part : slices.parts())
        rows.push_back(footprintRows(aligned, grid, part));
    slab.rows = unionOf(std::move(rows));
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
