#include "core/plan/slabs.h"

#include <algorithm>
#include <utility>

#include "core/base/index_ranges.h"
#include "core/geometry/footprint.h"
#include "core/geometry/mirror.h"

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

double partOfSpeed(const Kernel& kernel, const IndexRanges& slices, const VolumeGrid& grid,
                   const std::optional<Index>& mirror) {
    const auto inLayers = [&](Index count) {
        return static_cast<double>((count + kernel.layerSlices - 1) / kernel.layerSlices *
                                   kernel.layerSlices);
    };
    double made = 0;
    for (const IndexRange& part : slices.parts())
        made += inLayers(part.size());
    if (made <= 0) return 1;
    const double ofVolume = static_cast<double>(grid.voxels[2]) / inLayers(grid.voxels[2]);
    return kernel.partOfSpeed(mirror && isOwnMirror(slices, *mirror)) *
           static_cast<double>(slices.size()) / made / ofVolume;
}

}  // namespace gantry
