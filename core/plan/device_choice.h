#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/plan/job_plan.h"

namespace gantry {

/// Whether a request is for GPUs, where the machine has any. @throws InputError when what it asks
/// for is not there, or does not go together
/// Tests: tests/core/plan/device_plan_test.cpp
[[nodiscard]] bool runsOnDevices(const ReconstructionRequest& request, const Machine& machine);

/// The GPUs that the request names, or all of them. @throws InputError naming those there are
[[nodiscard]] std::vector<DeviceFacts> chosenDevices(const ReconstructionRequest& request,
                                                     const EngineInfo& gpu);

/// Of an engine, the kernel that a request names; the usual one for such views where it may be any,
/// or where it names the CPU's usual one, which they cannot take; of parallel rays the one that
/// does the usual one's work; none where this build has no such engine. field: of the request, for
/// the error
/// @throws InputError naming those there are
/// Tests: tests/core/plan/device_plan_test.cpp
[[nodiscard]] Kernel kernelNamed(const EngineInfo& engine, const std::string& name,
                                 const char* field, bool viewsAreAligned = true,
                                 bool viewsAreParallel = false);

/// How far views have come when they are handed to GPUs, which prepare pixels of every type but
/// rectify no detector. whyNoFilter: of the devices, empty where they can
/// @throws InputError when the request wants what they cannot do
[[nodiscard]] ViewState stateHandedOver(const PlanInputs& inputs, const std::string& whyNoFilter);

/// The GPUs that a request may use, in order, each with its budget, or why one slice does not fit.
struct Candidate {
    DevicePlan device;
    std::optional<ResourceError> whyNot;
};
/// @throws InputError as chosenDevices()
[[nodiscard]] std::vector<Candidate> candidatesOf(const PlanInputs& inputs);

}  // namespace gantry
