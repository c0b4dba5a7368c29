#pragma once

#include "core/backproject/cpu_columns.h"
#include "core/backproject/reference.h"
#include "core/engine/backends.h"

namespace gantry::test {

/// A machine without GPUs.
inline Backends backends() {
    Backends result;
    result.cpuColumns = [](int threads) { return makeCpuColumnsBackProjector(threads); };
    result.reference = [](int threads) { return makeReferenceBackProjector(threads); };
    result.cpuName = "CPU";
    result.whyNoGpu = "this test has none";
    return result;
}

}  // namespace gantry::test
