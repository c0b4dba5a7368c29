#pragma once

#include <optional>

#include "core/cpu/cpu_backend.h"
#include "core/machine/measure.h"

namespace gantry::test {

/// A machine without GPUs.
inline Backends backends() {
    Backends result;
    result.cpu = makeCpuBackend();
    result.cpu.info.devices.front().name = "CPU";
    result.whyNoGpu = "this test has none";
    return result;
}

/// The same for planning.
inline Machine machine() {
    return machineOf(backends());
}

/// The plan of a run: what it needs to know of the devices is measured.
inline JobPlan planned(const OpenScan& scan, const ReconstructionRequest& request,
                       const Backends& all, const std::optional<FinishedSlabs>& finished = {}) {
    return learnAndPlan(scan, request, all, {}, Purpose::run, finished).plan;
}

}  // namespace gantry::test
