#pragma once

#include <memory>
#include <string>

#include "core/backproject/plane_projector.h"
#include "core/engine/backends.h"
#include "gpu/device/device_list.h"

namespace gantry {

/// Why a build without CUDA has no GPU.
inline constexpr const char* kNoGpuEngine = "this build of Gantry has no GPU engine";

/// "CPU (AVX-512)"
[[nodiscard]] std::string cpuName();

/// The GPUs that this build can use on this machine. Asks the driver, which takes some tenths of a
/// second where there is a driver.
[[nodiscard]] DeviceList findDevices();

/// The one of that number. @throws InputError naming those there are, or why there are none
[[nodiscard]] const DeviceInfo& deviceNumbered(const DeviceList& list, int number);

/// What renders a live preview: that GPU, or the CPU where there are none.
/// @throws InputError as deviceNumbered()
[[nodiscard]] std::unique_ptr<PlaneProjector> makePlaneProjector(const DeviceList& list,
                                                                 int number);

/// What this build, on this machine, can back-project with; finds the GPUs.
[[nodiscard]] Backends makeBackends();

}  // namespace gantry
