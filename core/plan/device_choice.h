#pragma once

#include <vector>

#include "core/engine/backends.h"
#include "core/plan/request.h"

namespace gantry {

/// Whether a request is for GPUs, where the machine has any. @throws InputError when what it asks
/// for is not there, or does not go together
/// Tests: tests/core/plan/device_plan_test.cpp
[[nodiscard]] bool runsOnDevices(const ReconstructionRequest& request, const Backends& backends);

/// The GPUs that the request names, or all of them. @throws InputError naming those there are
[[nodiscard]] std::vector<DeviceFacts> chosenDevices(const ReconstructionRequest& request,
                                                     const GpuBackend& gpu);

/// How far views have come when they are handed to the devices, which prepare pixels of every type
/// but rectify no detector. @throws InputError when the request wants what they cannot do
[[nodiscard]] ViewState stateHandedOver(const Acquisition& acquisition,
                                        const ReconstructionRequest& request,
                                        const GpuBackend& gpu);

}  // namespace gantry
