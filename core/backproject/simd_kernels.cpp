#include "core/backproject/simd_kernels.h"

#include "core/base/error.h"

namespace gantry {

std::string_view name(SimdLevel level) {
    switch (level) {
        case SimdLevel::avx512:
            return "AVX-512";
        case SimdLevel::avx2:
            return "AVX2";
        case SimdLevel::portable:
            break;
    }
    return "portable";
}

std::vector<SimdLevel> supportedSimdLevels() {
    std::vector<SimdLevel> levels = {SimdLevel::portable};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        levels.push_back(SimdLevel::avx2);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        levels.push_back(SimdLevel::avx512);
#endif
    return levels;
}

const SimdKernels& simdKernels(SimdLevel level) {
    bool supported = false;
    for (const SimdLevel one : supportedSimdLevels())
        supported = supported || one == level;
    require(supported, "this machine lacks the instruction set that was asked for");
#if defined(__x86_64__)
    if (level == SimdLevel::avx512) return kAvx512Kernels;
    if (level == SimdLevel::avx2) return kAvx2Kernels;
#endif
    return kPortableKernels;
}

}  // namespace gantry
