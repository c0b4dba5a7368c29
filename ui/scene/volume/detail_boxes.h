#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/geometry/vec3.h"
#include "core/geometry/volume_grid.h"
#include "core/io/volume/volume_levels.h"
#include "ui/scene/volume/half_space.h"

namespace gantry {

/// A box along the axes; of voxels, from their first to their last centre: between these they can
/// be drawn.
struct BoxEnds {
    std::array<double, 3> lowMm = {0, 0, 0};
    std::array<double, 3> highMm = {0, 0, 0};
    friend bool operator==(const BoxEnds&, const BoxEnds&) = default;
};
[[nodiscard]] BoxEnds endsOf(const VolumeGrid& grid);
/// Leaves what lies in those half spaces that are along an axis.
void clipEnds(BoxEnds& ends, std::span<const HalfSpace> clips);

/// What finer voxels of a volume are wanted for.
struct DetailSight {
    Vec3 focusMm;        ///< where the finest ones are wanted
    double pixelMm = 0;  ///< of the screen, there: smaller voxels show nothing more
    BoxEnds inside;      ///< what is clipped away needs none
    friend bool operator==(const DetailSight&, const DetailSight&) = default;
};

/// Voxels of a level that are drawn in place of the coarser ones.
struct DetailBox {
    Index level = 0;
    VoxelBox voxels;
    VolumeGrid grid;  ///< of these voxels alone
    friend bool operator==(const DetailBox&, const DetailBox&) = default;
};

/// Boxes about the focus, each within the one before it and of finer voxels: of every level that is
/// finer than `shown`, down to the first whose voxels are no wider than a pixel; each of at most
/// `mostVoxels` along an axis. A box that holds all that is wanted stands for those around it.
/// Tests: tests/ui/scene/detail_boxes_test.cpp
[[nodiscard]] std::vector<DetailBox> detailBoxes(const std::vector<VolumeGrid>& levels,
                                                 const VolumeGrid& shown, const DetailSight& sight,
                                                 Index mostVoxels);

}  // namespace gantry
