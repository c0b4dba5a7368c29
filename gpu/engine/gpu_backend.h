#pragma once

#include <filesystem>

#include "core/engine/backends.h"
#include "gpu/device/device_list.h"

namespace gantry {

/// What planning knows of this build's GPU engine: its kernels and its memory; no devices. Touches
/// no driver.
[[nodiscard]] EngineInfo gpuEngineInfo();

/// The engine on these GPUs. There may be none.
/// @param cache  file in which trials of kernels are remembered, one a device, driver and class of
///               problem; need not exist, and need not be writable
/// Tests: tests/gpu/engine/gpu_backend_test.cpp
[[nodiscard]] EngineBackend makeGpuBackend(const DeviceList& list,
                                           const std::filesystem::path& cache);

}  // namespace gantry
