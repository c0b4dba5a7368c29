#include "core/plan/memory_budget.h"

#include <algorithm>

#include "core/plan/memory_shortfall.h"

namespace gantry {

namespace {

Index mostBytes(const std::vector<SlabPlan>& slabs, const SlabBytes& bytesNeeded) {
    Index most = 0;
    for (const SlabPlan& slab : slabs)
        most = std::max(most, bytesNeeded(slab));
    return most;
}

}  // namespace

std::vector<SlabPlan> fitSlabs(const AlignedViews& aligned, const VolumeGrid& grid,
                               Index budgetBytes, const SlabBytes& bytesNeeded) {
    const Index nZ = grid.voxels[2];
    for (Index count = 1;; count = std::max(count + 1, count * 21 / 20)) {
        const Index slices = std::max<Index>(1, (nZ + count - 1) / count);
        std::vector<SlabPlan> slabs = planSlabs(aligned, grid, slices);
        const Index bytes = mostBytes(slabs, bytesNeeded);
        if (bytes <= budgetBytes) return slabs;
        if (slices == 1) throw hostShortfall({bytes, budgetBytes});
    }
}

}  // namespace gantry
