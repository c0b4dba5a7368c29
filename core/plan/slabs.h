#pragma once

#include <vector>

#include "core/base/types.h"
#include "core/geometry/aligned_views.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// One pass over the views: the slices it makes and the detector rows it needs for them.
struct SlabPlan {
    IndexRange slices;
    IndexRange rows;
    /// Invalid pixels of stored rows below are counted with a slab before this one.
    Index countFrom = 0;
};

/// Slabs of a job and how many of them an interrupted run has stored already, from the first on.
struct FinishedSlabs {
    std::vector<IndexRange> slabs;  ///< slices of every slab of the job, in order
    Index done = 0;
};

/// Cuts the volume into slabs of at most `mostSlices`, nearly equal, lowest first, and gives each
/// its detector rows. One slab when everything fits.
[[nodiscard]] std::vector<SlabPlan> planSlabs(const AlignedViews& aligned, const VolumeGrid& grid,
                                              Index mostSlices);

}  // namespace gantry
