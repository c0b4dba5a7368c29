#pragma once

#include <optional>

#include "core/plan/job_plan.h"

namespace gantry {

/// Thrown when a machine has GPUs but a job can run on none of them.
class NoUsableDevice : public ResourceError {
  public:
    using ResourceError::ResourceError;
};

/// planJob() for the CPU.
[[nodiscard]] JobPlan planOnCpu(const PlanInputs& inputs,
                                const std::optional<FinishedSlabs>& finished);
/// planJob() for GPUs, with views passed to them in state `state`; none: as early as the devices
/// can take them. @throws NoUsableDevice where none is left; InputError, ResourceError
[[nodiscard]] JobPlan planOnGpus(const PlanInputs& inputs,
                                 const std::optional<FinishedSlabs>& finished,
                                 std::optional<ViewState> state = {});

}  // namespace gantry
