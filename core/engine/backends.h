#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/backproject/back_projector.h"
#include "core/engine/device_engine.h"

namespace gantry {

/// What this build, on this machine, can back-project with. Filled once at the program's start and
/// handed down.
struct Backends {
    using Make = std::function<std::unique_ptr<BackProjector>(int threads)>;
    Make cpuColumns;
    Make reference;
    std::string cpuName;   ///< "CPU (AVX-512)", for logs and reports
    GpuBackend gpu;        ///< has no devices where there is no GPU engine
    std::string whyNoGpu;  ///< one sentence; empty where there are devices
};

}  // namespace gantry
