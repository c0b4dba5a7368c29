#pragma once

#include <vector>

#include "core/engine/backends.h"
#include "gpu/device/device_list.h"

namespace gantry {

/// Why a build without CUDA has no GPU.
inline constexpr const char* kNoGpuEngine = "this build of Gantry has no GPU engine";

/// The GPUs that this build can use on this machine. Calls the driver, if there is one, which takes
/// some tenths of a second.
[[nodiscard]] DeviceList findDevices();

/// The GPU of that number. @throws InputError listing the numbers, or why there are none
[[nodiscard]] const DeviceInfo& deviceNumbered(const DeviceList& list, int number);

/// All engines that this build has on this machine; finds the GPUs.
[[nodiscard]] Backends makeBackends();

/// The kernels of both engines of this build, in the order of options: the CPU's first. Does not
/// call the driver.
[[nodiscard]] std::vector<Kernel> cpuKernelList();
[[nodiscard]] std::vector<Kernel> gpuKernelList();

/// The facts about this machine and build that planning has without calling the driver: no GPUs
/// yet.
[[nodiscard]] Machine machineWithoutGpus();

}  // namespace gantry
