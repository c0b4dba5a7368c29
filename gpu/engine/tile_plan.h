#pragma once

#include <vector>

#include "gpu/device/device_list.h"
#include "gpu/kernels/cone_batch.h"
#include "gpu/kernels/tile.h"

namespace gantry {

/// Box that holds the footprint of any tile of a shape on any view of a launch: what a tile's edges
/// can stretch over where magnification is largest. Every position that a tile interpolates at lies
/// inside with both neighbours. The slab lies before the source in all views.
/// Tests: tests/gpu/engine/tile_plan_test.cpp
[[nodiscard]] gpu::TileBox largestBox(const gpu::TileShape& shape, const gpu::ConeBatch& batch,
                                      const gpu::ConeSlab& slab);

/// Detector rows that a voxel steps, at the middle of the slab in the batch's first view.
[[nodiscard]] double rowsPerVoxel(const gpu::ConeBatch& batch, const gpu::ConeSlab& slab);

/// The same of a shape for views of any pose, from tiles at the slab's corners, edges and middles:
/// a few others may need a little more. Tiles that are not all before the source need none.
[[nodiscard]] gpu::TileBox largestPoseBox(const gpu::TileShape& shape, const gpu::ConeBatch& batch,
                                          const gpu::ConeSlab& slab);

/// How a launch is made: a shape, and how many views are in shared memory at once.
struct TilePlan {
    int shape =
        -1;  ///< -1: fetch directly; no tile's footprint fits shared memory, or it is slower
    int stages = 0;
    gpu::TileBox box;
    bool wide = false;  ///< of direct fetches: see launchTileDirect()
};

/// In place of a shape: fetch directly.
inline constexpr int kFetchDirectly = -2;

/// Runs up to some two rows a voxel, then shapes with split rows, and direct fetches where a voxel
/// steps several.
/// @param shape, stages  to take where they fit; or kFetchDirectly; -1 and 0: choose
[[nodiscard]] TilePlan planTile(const gpu::ConeBatch& batch, const gpu::ConeSlab& slab,
                                const DeviceInfo& device, int shape, int stages);

/// The same for views of any pose. There always is a shape: tiles whose footprints are larger than
/// its boxes fetch directly.
[[nodiscard]] TilePlan planPoses(const gpu::ConeBatch& batch, const gpu::ConeSlab& slab,
                                 const DeviceInfo& device);

}  // namespace gantry
