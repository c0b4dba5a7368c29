#pragma once

#include <memory>

#include "core/geometry/volume_grid.h"
#include "core/project/projector.h"
#include "gpu/device/device_list.h"

namespace gantry {

/// A projector that works on one GPU; volumes and views come from host memory, some views at a
/// time. tiled: false takes the kernels for any position for all views, as older devices do Tests:
/// tests/gpu/engine/gpu_projector_test.cpp
[[nodiscard]] std::unique_ptr<Projector> makeGpuProjector(const DeviceInfo& device,
                                                          ProjectedViews views, bool tiled = true);

/// Device memory that it takes for a slab of that many slices, bytes. views: only their number and
/// their detector count
[[nodiscard]] Index gpuProjectorBytes(const ProjectedViews& views, const VolumeGrid& grid,
                                      Index slices);

}  // namespace gantry
