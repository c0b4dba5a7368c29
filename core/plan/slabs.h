#pragma once

#include <optional>
#include <set>
#include <vector>

#include "core/base/types.h"
#include "core/engine/kernel.h"
#include "core/geometry/aligned_views.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// A part of the volume that is made at a time: its slices, in one range or two, and the detector
/// rows that it needs for them.
struct SlabPlan {
    IndexRanges slices;
    IndexRanges rows;
    /// Invalid pixels of the slab's stored rows within are counted with it, of others with a slab
    /// before.
    IndexRange counted{};
};

/// Slabs of a job and which of them an interrupted run has stored already.
struct FinishedSlabs {
    std::vector<IndexRanges> slabs;  ///< slices of every slab of the job, in order
    std::set<Index> done;
};

/// The slab of these slices.
[[nodiscard]] SlabPlan slabOf(const AlignedViews& aligned, const VolumeGrid& grid,
                              const IndexRanges& slices);

/// The part that a kernel reaches on these slices of the speed that trials and jobs keep of it:
/// that of a whole volume in whole layers, of slabs that mirror themselves if it can. A slab that
/// fills its layers worse takes as long as one that fills them.
/// mirror: of the volume, by mirroredSlices()
///
/// Tests: tests/core/plan/slabs_test.cpp
[[nodiscard]] double partOfSpeed(const Kernel& kernel, const IndexRanges& slices,
                                 const VolumeGrid& grid, const std::optional<Index>& mirror);

}  // namespace gantry
