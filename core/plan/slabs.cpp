#include "core/plan/slabs.h"

#include <utility>

#include "core/base/index_ranges.h"
#include "core/geometry/footprint.h"
#include "core/geometry/views/mirror.h"

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

double partOfSpeed(const Kernel& kernel, const IndexRanges& slices, const VolumeGrid& grid,
                   const std::optional<Index>& mirror) {
    const auto inLayers = [&](Index count) {
        const Index layers = (count + kernel.layerSlices - 1) / kernel.layerSlices;
        return static_cast<double>(layers * kernel.layerSlices);
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
