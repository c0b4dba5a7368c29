#pragma once

#include <functional>
#include <optional>
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
/// The same of a mirror pair, both its parts together. mirror: mirroredSlices()
[[nodiscard]] Index mostPairedSlicesThatFit(
    const AlignedViews& aligned, const VolumeGrid& grid, Index mirror,
    const std::function<bool(Index slices, Index rows)>& fits);

/// How high the first of several passes is.
enum class FirstPass {
    asOthers,
    thin,  ///< as few layers as devices share well, so that storing begins early
};

/// Cuts the volume into passes of nearly equal height, upwards and thinner ones last, and every
/// pass into a slab a device: in pass p, device d of n makes slab p·n + d. Devices take slices in
/// proportion to their speed as far as their memory goes, and at least one each; in the last of the
/// most passes that there can be, slices may be too few for all.
/// @param layer  slabs are whole layers of so many slices where there are enough of them, the
///               topmost one perhaps thinner; 1: any slices
/// @param first  thin counts where there are whole layers, and three passes or more
/// @returns nothing when the devices cannot hold a pass, or a pass would have no slices
[[nodiscard]] std::vector<SlabPlan> dealSlabs(const AlignedViews& aligned, const VolumeGrid& grid,
                                              std::span<const DeviceShare> shares, Index passes,
                                              Index layer, FirstPass first = FirstPass::asOthers);

/// Cuts a volume into mirror pairs about the source's plane as dealSlabs() cuts one into slabs: all
/// slices that have their mirror image there into so many passes, outermost first. A pair's parts
/// are each other's mirror image; of a pass they are dealt to the devices from the outside inwards.
/// The innermost pair is one range. What has no mirror image becomes plain slabs, which come last.
/// @param mirror  mirroredSlices()
/// @param layer   of each part
/// @returns nothing when the devices cannot hold a pass, or a pass would have no pair
/// Tests: tests/core/plan/device_pairs_test.cpp
[[nodiscard]] std::vector<SlabPlan> dealPairs(const AlignedViews& aligned, const VolumeGrid& grid,
                                              Index mirror, std::span<const DeviceShare> shares,
                                              Index passes, Index layer,
                                              FirstPass first = FirstPass::asOthers);

/// Of dealSlabs(), or of dealPairs() where there is a mirror: the most passes that there can be.
[[nodiscard]] Index mostPasses(const VolumeGrid& grid, Index devices,
                               std::optional<Index> mirror = {});

/// How many passes are worth their price where memory asks for none: while a slab is copied and
/// stored the next is made, but every pass reads the rows that it shares with its neighbours again.
/// @param devices  that share a pass
/// @param mirror   of passes over pairs
[[nodiscard]] Index passesToOverlap(const AlignedViews& aligned, const VolumeGrid& grid,
                                    Index devices, std::optional<Index> mirror = {});

}  // namespace gantry
