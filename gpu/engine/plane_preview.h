#pragma once

#include <memory>

#include "core/engine/plane_preview.h"
#include "gpu/device/device_list.h"

namespace gantry {

/// Renders planes on one device, which keeps a copy of the views in textures: 4 bytes a pixel, and
/// twice as many for line integrals, which it filters itself. Texture hardware interpolates with
/// fractions of 8 bits. Pictures are in pinned memory.
/// @param device  becomes current in the threads that use it
/// @throws ResourceError  no memory, or the device is lost
/// Tests: tests/gpu/engine/plane_preview_test.cpp
[[nodiscard]] std::unique_ptr<PlanePreview> makeGpuPlanePreview(const DeviceInfo& device);

}  // namespace gantry
