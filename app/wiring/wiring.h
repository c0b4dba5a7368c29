#pragma once

#include <vector>

#include "core/engine/backends.h"
#include "gpu/device/device_list.h"

namespace gantry {

/// Why a build without CUDA has no GPU.
inline constexpr const char* kNoGpuEngine = "this build of Gantry has no GPU engine";

/// The GPUs that this build can use on this machine. Asks the driver, which takes some tenths of a
/// second where there is a driver.
[[nodiscard]] DeviceList findDevices();

/// The one of that number. @throws InputError naming those there are, or why there are none
[[nodiscard]] const DeviceInfo& deviceNumbered(const DeviceList& list, int number);

/// What this build, on this machine, can back-project with; finds the GPUs.
[[nodiscard]] Backends makeBackends();

/// The kernels of both engines of this build, as options list them: the CPU's first. Asks no
/// driver.
[[nodiscard]] std::vector<Kernel> cpuKernelList();
[[nodiscard]] std::vector<Kernel> gpuKernelList();

/// What planning knows of this machine and build without asking the driver: no GPUs yet.
[[nodiscard]] Machine machineWithoutGpus();

}  // namespace gantry
