#pragma once

#include <memory>

#include "core/project/projector.h"
#include "gpu/device/device_list.h"

namespace gantry {

/// A projector that works on one GPU; volumes and views come from host memory, some views at a
/// time. tiled: false takes the kernels for any position for all views, as older devices do Tests:
/// tests/gpu/engine/gpu_projector_test.cpp
[[nodiscard]] std::unique_ptr<Projector> makeGpuProjector(const DeviceInfo& device,
                                                          ProjectedViews views, bool tiled = true);

}  // namespace gantry
