#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/engine/cone_kernel.h"
#include "gpu/kernels/tile/tile.h"

namespace gantry {

/// Choices that the caller makes for a tile kernel; by default it makes them itself.
struct TileChoice {
    int shape = -1;  ///< number for gpu::tileShape(), or kFetchDirectly; -1: by the voxel's step
    int stages = 0;  ///< views in shared memory at once; 0: as many as pay off
    std::optional<gpu::BoxCopy> copy;  ///< none, or one that the device lacks: the best there is
    bool anyPose = false;              ///< takes views of any pose, in shapes of their own
};

/// Makes a kernel that interpolates exactly from shared memory, to which every block copies its
/// tile's footprint on each view ahead of use: by TMA, asynchronous copies or plain loads, as the
/// device allows. It takes aligned detectors, or views of any pose.
[[nodiscard]] std::unique_ptr<ConeKernel> makeTileKernel(const DeviceInfo& device,
                                                         const TileChoice& choice = {});

/// A shape of tile by its name.
[[nodiscard]] std::optional<gpu::TileShape> tileShapeNamed(std::string_view name);
/// Whether a launch would take the shape of that name; true for all other kernels.
[[nodiscard]] bool tileShapeFits(std::string_view name, const gpu::ConeBatch& batch,
                                 const gpu::ConeSlab& slab, const DeviceInfo& device);

/// Names of the shapes of tile, for trials: "tile-8x8x128-runs", ..., "tile-direct".
[[nodiscard]] std::vector<std::string> tileShapeNames();
/// The choice that selects the shape of that name; none where there is no such shape.
[[nodiscard]] std::optional<TileChoice> tileChoiceNamed(std::string_view name);

}  // namespace gantry
