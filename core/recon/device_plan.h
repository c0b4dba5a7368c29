#pragma once

#include <optional>

#include "core/recon/device_engine.h"
#include "core/recon/job_plan.h"

namespace gantry {

/// planJob() on the GPUs that the job names, or all; those of which another program holds too much
/// memory are left out where the job names none.
/// Tests: tests/core/recon/device_plan_test.cpp
[[nodiscard]] JobPlan planOnDevices(const OpenScan& scan, const JobSpec& spec,
                                    const GpuBackend& gpu,
                                    const std::optional<Checkpoint>& checkpoint);

/// "2 × NVIDIA H200 (tile, exact)"
[[nodiscard]] std::string engineName(const JobPlan& plan);

}  // namespace gantry
