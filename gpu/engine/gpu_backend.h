#pragma once

#include <filesystem>

#include "core/engine/backends.h"
#include "gpu/device/device_list.h"

namespace gantry {

/// What planning needs to know of this build's GPU engine: its kernels and its memory, but no
/// devices. Touches no driver.
[[nodiscard]] EngineInfo gpuEngineInfo();

/// The engine on these GPUs, of which there may be none.
/// @param cache  file that keeps the results of kernel trials, one a device, driver and class of
///               problem; it need not exist or be writable
/// Tests: tests/gpu/engine/gpu_backend_test.cpp
[[nodiscard]] EngineBackend makeGpuBackend(const DeviceList& list,
                                           const std::filesystem::path& cache);

}  // namespace gantry
