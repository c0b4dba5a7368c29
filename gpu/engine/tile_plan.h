#pragma once

#include "gpu/device/device_list.h"
#include "gpu/kernels/cone_batch.h"
#include "gpu/kernels/tile/tile.h"

namespace gantry {

/// Size of a box that holds the footprint of any tile of a shape on any view of a launch: the
/// furthest that a tile's edges stretch where magnification is largest. Every position that a tile
/// interpolates at lies inside with both neighbours. The slab must lie before the source in all
/// views. Tests: tests/gpu/engine/tile_plan_test.cpp
[[nodiscard]] gpu::TileBox largestBox(const gpu::TileShape& shape, const gpu::ConeBatch& batch,
                                      const gpu::ConeSlab& slab);

/// Detector rows that a voxel steps, at the middle of the slab in the batch's first view.
[[nodiscard]] double rowsPerVoxel(const gpu::ConeBatch& batch, const gpu::ConeSlab& slab);

/// The same for views of any pose, from tiles at the slab's corners, edges and middles; a few
/// others may need slightly more. Tiles that do not lie entirely before the source are left out.
[[nodiscard]] gpu::TileBox largestPoseBox(const gpu::TileShape& shape, const gpu::ConeBatch& batch,
                                          const gpu::ConeSlab& slab);

/// How a batch is launched: a shape, and how many views are in shared memory at once.
struct TilePlan {
    int shape =
        -1;  ///< -1: fetch directly; no tile's footprint fits shared memory, or it is slower
    int stages = 0;
    gpu::TileBox box;
    bool wide = false;  ///< for direct fetches: see launchTileDirect()
};

/// Given in place of a shape, it asks for direct fetches.
inline constexpr int kFetchDirectly = -2;

/// Chooses runs up to about two rows a voxel, then shapes with split rows, and direct fetches where
/// a voxel steps several rows.
/// @param shape, stages  taken where they fit; or kFetchDirectly; -1 and 0: choose
[[nodiscard]] TilePlan planTile(const gpu::ConeBatch& batch, const gpu::ConeSlab& slab,
                                const DeviceInfo& device, int shape, int stages);

/// The same for views of any pose. There always is a shape: tiles whose footprints are larger than
/// its boxes fetch directly.
[[nodiscard]] TilePlan planPoses(const gpu::ConeBatch& batch, const gpu::ConeSlab& slab,
                                 const DeviceInfo& device);

}  // namespace gantry
