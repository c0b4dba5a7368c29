#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/plan/slabs.h"

namespace gantry {

/// What decides how much of a volume a device gets.
struct DeviceShare {
    double speed = 1;     ///< voxel updates a second, or any unit common to all devices
    Index maxSlices = 0;  ///< max slices of one slab that its memory holds
};

/// Max slices of a slab, anywhere in the volume, for which `fits` holds; 0 when it never does.
/// fits: takes a number of slices and the max rows that such a slab needs; what does not fit does
///       not fit with more slices or rows either
[[nodiscard]] Index maxSlicesThatFit(const AlignedViews& aligned, const VolumeGrid& grid,
                                     const std::function<bool(Index slices, Index rows)>& fits);
/// The same for a mirror pair, both parts together. mirror: mirroredSlices()
[[nodiscard]] Index maxPairedSlicesThatFit(
    const AlignedViews& aligned, const VolumeGrid& grid, Index mirror,
    const std::function<bool(Index slices, Index rows)>& fits);

/// The height of the first of several passes.
enum class FirstPass {
    asOthers,
    thin,  ///< as few layers as can be shared well, so that storing begins early
};

/// Cuts the volume into passes of nearly equal height, upwards with thinner ones last, and every
/// pass into a slab a device: in pass p, device d of n makes slab p·n + d. Devices get slices in
/// proportion to their speed as far as their memory allows, and at least one each; with the max
/// number of passes, the last pass may have too few slices for all devices.
/// @param layer  slabs are whole layers of this many slices where there are enough layers, the
///               topmost one may be thinner; 1: any slices
/// @param first  `thin` counts where there are whole layers and at least three passes
/// @returns nothing when the devices cannot hold a pass, or a pass would have no slices
[[nodiscard]] std::vector<SlabPlan> assignSlabs(const AlignedViews& aligned, const VolumeGrid& grid,
                                                std::span<const DeviceShare> shares, Index passes,
                                                Index layer, FirstPass first = FirstPass::asOthers);

/// Cuts a volume into mirror pairs about the source's plane as assignSlabs() cuts one into slabs:
/// all slices that have their mirror image in the volume, into `passes` passes, outermost first. A
/// pair's parts are each other's mirror image; a pass is distributed to the devices from the
/// outside inwards. The innermost pair is one range. Slices without a mirror image become plain
/// slabs, last.
/// @param mirror  mirroredSlices()
/// @param layer   slices of a layer, in each part
/// @returns nothing when the devices cannot hold a pass, or a pass would have no pair
/// Tests: tests/core/plan/device_pairs_test.cpp
[[nodiscard]] std::vector<SlabPlan> assignPairs(const AlignedViews& aligned, const VolumeGrid& grid,
                                                Index mirror, std::span<const DeviceShare> shares,
                                                Index passes, Index layer,
                                                FirstPass first = FirstPass::asOthers);

/// Max passes of assignSlabs(), or of assignPairs() where there is a mirror.
[[nodiscard]] Index maxPasses(const VolumeGrid& grid, Index devices,
                              std::optional<Index> mirror = {});

/// How many passes pay off even if memory does not require them: while a slab is copied and stored
/// the next one is made, but every pass reads the rows that it shares with its neighbours again.
/// @param devices  that share a pass
/// @param mirror   for passes over pairs
[[nodiscard]] Index passesToOverlap(const AlignedViews& aligned, const VolumeGrid& grid,
                                    Index devices, std::optional<Index> mirror = {});

}  // namespace gantry
