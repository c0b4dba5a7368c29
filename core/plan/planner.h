#pragma once

#include <optional>

#include "core/plan/job_plan.h"

namespace gantry {

/// Thrown when a machine has GPUs, but none that a job can run on.
class NoUsableDevice : public ResourceError {
  public:
    using ResourceError::ResourceError;
};

/// The GPUs that a request may use, in order, each with its budget, or why one slice does not fit.
struct Candidate {
    DevicePlan device;
    std::optional<ResourceError> whyNot;
};
/// @throws InputError as chosenDevices()
[[nodiscard]] std::vector<Candidate> candidatesOf(const PlanInputs& inputs);

/// planJob() on the CPU.
[[nodiscard]] JobPlan planOnCpu(const PlanInputs& inputs,
                                const std::optional<FinishedSlabs>& finished);
/// planJob() on GPUs, with views handed over as `state` says; none: as far as the devices can.
/// @throws NoUsableDevice where none is left; InputError, ResourceError
[[nodiscard]] JobPlan planOnGpus(const PlanInputs& inputs,
                                 const std::optional<FinishedSlabs>& finished,
                                 std::optional<ViewState> state = {});

}  // namespace gantry
