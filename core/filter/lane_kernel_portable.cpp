#include "core/filter/lane_kernel_impl.h"

namespace gantry {

const LaneKernel* portableLaneKernel() {
    static constexpr LaneKernel kKernel = {"portable", 4, filterLanes<4>};
    return &kKernel;
}

}  // namespace gantry
