#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/engine/cone_kernel.h"
#include "gpu/kernels/tile.h"

namespace gantry {

/// Choices that a tile kernel is given rather than makes itself.
struct TileChoice {
    int shape = -1;  ///< of gpu::tileShape(), or kFetchDirectly; -1: by the voxel's step
    int stages = 0;  ///< views in shared memory at once; 0: as many as pay
    std::optional<gpu::BoxCopy> copy;  ///< none, or more than there is: the best there is
    bool anyPose = false;              ///< for views of any pose, in a shape of its own
};

/// Exact interpolation from shared memory, to which every block brings its tile's footprint on each
/// view ahead of use: by TMA, asynchronous copies or plain loads, as the device has them. For
/// aligned detectors, or for views of any pose.
[[nodiscard]] std::unique_ptr<ConeKernel> makeTileKernel(const DeviceInfo& device,
                                                         const TileChoice& choice = {});

/// A shape of tile by its name.
[[nodiscard]] std::optional<gpu::TileShape> tileShapeNamed(std::string_view name);
/// Whether a launch would be made in the shape of that name; true of all other kernels.
[[nodiscard]] bool tileShapeFits(std::string_view name, const gpu::ConeBatch& batch,
                                 const gpu::ConeSlab& slab, const DeviceInfo& device);

/// The shapes of tile by name, for trials: "tile-8x8x128-runs", ..., "tile-direct".
[[nodiscard]] std::vector<std::string> tileShapeNames();
/// The shape of that name; none where it is not one.
[[nodiscard]] std::optional<TileChoice> tileChoiceNamed(std::string_view name);

}  // namespace gantry
