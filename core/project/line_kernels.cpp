#include "core/project/line_kernels.h"

namespace gantry {

const LineKernels& lineKernels(SimdLevel level) {
    (void)simdKernels(level);  // checks that the machine supports it
#if defined(__x86_64__)
    if (level == SimdLevel::avx512) return kAvx512Lines;
    if (level == SimdLevel::avx2) return kAvx2Lines;
#endif
    return kPortableLines;
}

}  // namespace gantry
