#pragma once

#include <filesystem>
#include <string>

#include "core/engine/device_engine.h"
#include "gpu/device/device_list.h"

namespace gantry {

/// What recon needs of GPUs. There may be no devices.
/// @param cache  file in which trials of kernels are remembered, one a device, driver and class of
///               problem; need not exist, and need not be writable
[[nodiscard]] GpuBackend makeGpuBackend(const DeviceList& list, const std::filesystem::path& cache);

}  // namespace gantry
