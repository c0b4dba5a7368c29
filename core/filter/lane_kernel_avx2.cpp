#include "core/filter/lane_kernel.h"

#if defined(__AVX2__)
#include "core/filter/lane_kernel_impl.h"
#endif

namespace gantry {

const LaneKernel* avx2LaneKernel() {
#if defined(__AVX2__)
    static constexpr LaneKernel kKernel = {"AVX2", 8, filterLanes<8>};
    return &kKernel;
#else
    return nullptr;
#endif
}

}  // namespace gantry
