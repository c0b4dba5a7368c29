#pragma once

#include <functional>
#include <vector>

#include "core/plan/slabs.h"

namespace gantry {

/// Host memory that the pass over one slab takes, bytes.
using SlabBytes = std::function<Index(const SlabPlan& slab)>;

/// Few slabs whose passes all stay within `budgetBytes`: the fewest up to 20, within 5 % beyond.
/// @throws ResourceError when one slice alone does not, saying how much it needs
[[nodiscard]] std::vector<SlabPlan> fitSlabs(const AlignedViews& aligned, const VolumeGrid& grid,
                                             Index budgetBytes, const SlabBytes& bytesNeeded);

}  // namespace gantry
