#include "app/wiring.h"

#include "core/backproject/cpu_columns.h"
#include "core/backproject/reference.h"

namespace gantry {

namespace {

const char* title(SimdLevel level) {
    switch (level) {
        case SimdLevel::avx512:
            return "CPU (AVX-512)";
        case SimdLevel::avx2:
            return "CPU (AVX2)";
        case SimdLevel::portable:
            break;
    }
    return "CPU";
}

}  // namespace

Backends makeBackends() {
    Backends backends;
    backends.cpuColumns = [](int threads) { return makeCpuColumnsBackProjector(threads); };
    backends.reference = [](int threads) { return makeReferenceBackProjector(threads); };
    backends.cpuName = title(supportedSimdLevels().back());
    backends.whyNoGpu = "this build of Gantry has no GPU engine";
    return backends;
}

}  // namespace gantry
