#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/plan/job_plan.h"

namespace gantry {

/// Whether a request runs on GPUs, if the machine has any. @throws InputError when it asks for what
/// is missing, or for things that exclude each other. Tests: tests/core/plan/device_plan_test.cpp
[[nodiscard]] bool runsOnDevices(const ReconstructionRequest& request, const Machine& machine);

/// The GPUs that the request names, or all of them. @throws InputError listing those of the machine
[[nodiscard]] std::vector<DeviceFacts> chosenDevices(const ReconstructionRequest& request,
                                                     const EngineInfo& gpu);

/// The part of a GPU's free memory that is used unless a limit is given, bytes.
[[nodiscard]] Index usualDeviceBytes(Index freeBytes);

/// The kernel of an engine that a request names; none where this build has no such engine. The
/// usual kernel is chosen where any will do, or where the request names the CPU's usual one and the
/// views cannot be added by it; for parallel rays it is the one that does the usual one's work.
/// field: the request's field to name in the error
/// @throws InputError listing the engine's kernels
/// Tests: tests/core/plan/device_plan_test.cpp
[[nodiscard]] Kernel kernelNamed(const EngineInfo& engine, const std::string& name,
                                 const char* field, bool viewsAreAligned = true,
                                 bool viewsAreParallel = false);

/// The state in which views go to GPUs, which prepare pixels of every type but rectify no detector.
/// whyNoFilter: why the devices cannot filter; empty where they can
/// @throws InputError when the request wants what they cannot do
[[nodiscard]] ViewState stateHandedOver(const PlanInputs& inputs, const std::string& whyNoFilter);

/// A GPU that a request may use, with its budget, or why not even one slice fits.
struct Candidate {
    DevicePlan device;
    std::optional<ResourceError> whyNot;
};
/// The candidates, in order. @throws InputError as chosenDevices()
[[nodiscard]] std::vector<Candidate> candidatesOf(const PlanInputs& inputs);

}  // namespace gantry
