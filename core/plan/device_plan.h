#pragma once

#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/engine/device_engine.h"
#include "core/plan/job_plan.h"

namespace gantry {

/// Thrown when a machine has GPUs, but none that a job can run on.
class NoUsableDevice : public ResourceError {
  public:
    using ResourceError::ResourceError;
};

/// planJob() on the GPUs that the job names, or all; where the job names none, those that cannot
/// be used, as where another program holds too much memory, are left out with a note.
/// @throws NoUsableDevice where none is left; InputError, ResourceError
/// Tests: tests/core/plan/device_plan_test.cpp
[[nodiscard]] JobPlan planOnDevices(const Acquisition& acquisition,
                                    const ReconstructionRequest& request, const GpuBackend& gpu,
                                    const std::optional<FinishedSlabs>& finished);

/// "2 × NVIDIA H200 (tile, exact)"
[[nodiscard]] std::string engineName(const JobPlan& plan);

}  // namespace gantry
