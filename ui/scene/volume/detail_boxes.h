#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/geometry/vec3.h"
#include "core/geometry/volume_grid.h"
#include "core/io/volume/volume_levels.h"
#include "ui/scene/volume/half_space.h"

namespace gantry {

/// A box along the axes. For voxels it reaches from the first centre to the last: between these
/// they can be drawn.
struct BoxEnds {
    std::array<double, 3> lowMm = {0, 0, 0};
    std::array<double, 3> highMm = {0, 0, 0};
    friend bool operator==(const BoxEnds&, const BoxEnds&) = default;
};
[[nodiscard]] BoxEnds endsOf(const VolumeGrid& grid);
/// Clips the box to those half spaces that are along an axis.
void clipEnds(BoxEnds& ends, std::span<const HalfSpace> clips);

/// The viewpoint for which finer voxels of a volume are needed.
struct DetailTarget {
    Vec3 focusMm;        ///< where the finest voxels are needed
    double pixelMm = 0;  ///< width of a screen pixel there: smaller voxels show nothing more
    BoxEnds inside;      ///< clipped parts need no voxels
    friend bool operator==(const DetailTarget&, const DetailTarget&) = default;
};

/// Voxels of a level that replace coarser ones in the picture.
struct DetailBox {
    Index level = 0;
    VoxelBox voxels;
    VolumeGrid grid;  ///< of these voxels only
    friend bool operator==(const DetailBox&, const DetailBox&) = default;
};

/// Boxes about the focus, each within the one before it and of finer voxels: one of every level
/// that is finer than `shown`, down to the first whose voxels are no wider than a pixel; each of at
/// most `maxVoxels` along an axis. A box that contains everything needed replaces those around it.
/// Tests: tests/ui/scene/detail_boxes_test.cpp
[[nodiscard]] std::vector<DetailBox> detailBoxes(const std::vector<VolumeGrid>& levels,
                                                 const VolumeGrid& shown,
                                                 const DetailTarget& target, Index maxVoxels);

}  // namespace gantry
