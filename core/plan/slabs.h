#pragma once

#include <optional>
#include <set>
#include <vector>

#include "core/base/types.h"
#include "core/engine/kernel.h"
#include "core/geometry/views/aligned_views.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// A part of the volume that is made at a time: its slices, in one or two ranges, and the detector
/// rows that it needs.
struct SlabPlan {
    IndexRanges slices;
    IndexRanges rows;
    /// Stored rows whose invalid pixels are counted with this slab; the other rows are counted with
    /// a slab before.
    IndexRange counted{};
};

/// Slabs of a job and which of them an interrupted run has stored already.
struct FinishedSlabs {
    std::vector<IndexRanges> slabs;  ///< slices of every slab of the job, in order
    std::set<Index> done;
};

/// The slab that consists of these slices.
[[nodiscard]] SlabPlan slabOf(const AlignedViews& aligned, const VolumeGrid& grid,
                              const IndexRanges& slices);

/// The part of a kernel's nominal speed that it reaches on these slices. The nominal speed is for a
/// whole volume in whole layers, of slabs that mirror themselves if the kernel can use that. A
/// layer that is partly filled takes as long as a full one. mirror: of the volume, by
/// mirroredSlices()
///
/// Tests: tests/core/plan/slabs_test.cpp
[[nodiscard]] double partOfSpeed(const Kernel& kernel, const IndexRanges& slices,
                                 const VolumeGrid& grid, const std::optional<Index>& mirror);

}  // namespace gantry
