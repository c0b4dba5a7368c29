#pragma once

#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/recon/device_engine.h"
#include "core/recon/job_plan.h"

namespace gantry {

/// Thrown when a machine has GPUs, but none that a job can run on.
class NoUsableDevice : public ResourceError {
  public:
    using ResourceError::ResourceError;
};

/// Whether the job asks for what only GPUs do, so that the CPU is no way out.
[[nodiscard]] bool asksForDevices(const JobSpec& spec);

/// planJob() on the GPUs that the job names, or all; where the job names none, those that cannot
/// be used, as where another program holds too much memory, are left out with a note.
/// @throws NoUsableDevice where none is left; InputError, ResourceError
/// Tests: tests/core/recon/device_plan_test.cpp
[[nodiscard]] JobPlan planOnDevices(const OpenScan& scan, const JobSpec& spec,
                                    const GpuBackend& gpu,
                                    const std::optional<Checkpoint>& checkpoint);

/// "2 × NVIDIA H200 (tile, exact)"
[[nodiscard]] std::string engineName(const JobPlan& plan);

}  // namespace gantry
