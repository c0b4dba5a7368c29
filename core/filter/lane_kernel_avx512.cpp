#include "core/filter/lane_kernel.h"

#if defined(__AVX512F__)
#include "core/filter/lane_kernel_impl.h"
#endif

namespace gantry {

const LaneKernel* avx512LaneKernel() {
#if defined(__AVX512F__)
    static constexpr LaneKernel kKernel = {"AVX-512", 16, filterLanes<16>};
    return &kKernel;
#else
    return nullptr;
#endif
}

}  // namespace gantry
