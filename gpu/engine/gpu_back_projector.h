#pragma once

#include <memory>

#include "core/backproject/back_projector.h"
#include "gpu/device/device_list.h"
#include "gpu/engine/cone_kernel.h"

namespace gantry {

/// A back-projector on one device with the CPU's interface: batches come from the host and are
/// copied, slabs are read back in the order [z][y][x].
/// add() returns when the batch's memory may be used again, before the device is done.
/// @param device  becomes current in the threads that use it
/// @throws ResourceError  no memory, or the device is lost
/// Tests: tests/gpu/engine/gpu_back_projector_test.cpp
[[nodiscard]] std::unique_ptr<BackProjector> makeGpuBackProjector(
    const DeviceInfo& device, std::unique_ptr<ConeKernel> kernel);

}  // namespace gantry
