#pragma once

#include <optional>

#include "core/plan/job_plan.h"

namespace gantry {

/// Thrown when a machine has GPUs, but none that a job can run on.
class NoUsableDevice : public ResourceError {
  public:
    using ResourceError::ResourceError;
};

/// planJob() on the CPU.
[[nodiscard]] JobPlan planOnCpu(const PlanInputs& inputs,
                                const std::optional<FinishedSlabs>& finished);
/// planJob() on GPUs, with views handed over as `state` says; none: as far as the devices can.
/// @throws NoUsableDevice where none is left; InputError, ResourceError
[[nodiscard]] JobPlan planOnGpus(const PlanInputs& inputs,
                                 const std::optional<FinishedSlabs>& finished,
                                 std::optional<ViewState> state = {});

}  // namespace gantry
