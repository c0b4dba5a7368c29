#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/plan/slabs.h"

namespace gantry {

/// What decides a device's share of a volume.
struct DeviceShare {
    double speed = 1;      ///< voxel updates a second, or any unit common to all devices
    Index mostSlices = 0;  ///< of one slab, that its memory holds
};

/// Most slices of a slab, anywhere in the volume, for which `fits` holds; 0 when it does for none.
/// fits: of a number of slices and the rows that such a slab needs at most; grows with neither
[[nodiscard]] Index mostSlicesThatFit(const AlignedViews& aligned, const VolumeGrid& grid,
                                      const std::function<bool(Index slices, Index rows)>& fits);

/// Cuts the volume into passes of nearly equal height, lowest first, and every pass into a slab a
/// device: in pass p, device d of n makes slab p·n + d. Devices take slices in proportion to their
/// speed as far as their memory goes, and at least one each; in the last of the most passes that
/// there can be, slices may be too few for all.
/// @param layer  slabs are whole layers of so many slices where there are enough of them, the
///               topmost one perhaps thinner; 1: any slices
/// @returns nothing when the devices cannot hold a pass, or a pass would have no slices
[[nodiscard]] std::vector<SlabPlan> dealSlabs(const AlignedViews& aligned, const VolumeGrid& grid,
                                              std::span<const DeviceShare> shares, Index passes,
                                              Index layer);

/// How many passes are worth their price where memory asks for none: while a slab is copied and
/// stored the next is made, but every pass reads the rows that it shares with its neighbours again.
/// @param devices  that share a pass
[[nodiscard]] Index passesToOverlap(const AlignedViews& aligned, const VolumeGrid& grid,
                                    Index devices);

}  // namespace gantry
