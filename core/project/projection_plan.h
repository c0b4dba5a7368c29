#pragma once

#include "core/base/types.h"
#include "core/geometry/volume_grid.h"
#include "core/project/projector.h"

namespace gantry {

/// How a volume is projected within a limit of memory: batch after batch of views, each through one
/// slab of the volume after the other.
struct ProjectionPlan {
    Index slabSlices = 0;
    Index batchViews = 0;
    Index bytes = 0;  ///< that it takes

    friend bool operator==(const ProjectionPlan&, const ProjectionPlan&) = default;
};

/// Slices that are read at a time.
inline constexpr Index kReadSlices = 16;

/// The whole volume and all views where they fit; then some of the views, as a volume in memory is
/// read once; then half of the memory for views and the rest for slabs.
/// deviceBytes: that the projector may take, where its memory is not the host's; else 0
/// workingViews: single views that are in memory besides, while results are written
/// @throws ResourceError  one slice and one view need more than these
/// Tests: tests/core/project/projection_plan_test.cpp
[[nodiscard]] ProjectionPlan planProjection(const Projector& projector, const ProjectedViews& views,
                                            const VolumeGrid& grid, Index workingViews,
                                            Index memoryBytes, Index deviceBytes = 0);

}  // namespace gantry
