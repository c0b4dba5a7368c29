#include "core/prep/prep_lanes.h"

namespace gantry {

std::vector<const PrepLanes*> supportedPrepLanes() {
    std::vector<const PrepLanes*> all = {portablePrepLanes()};
#if defined(__x86_64__)
    if (avx2PrepLanes() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        all.push_back(avx2PrepLanes());
    if (avx512PrepLanes() && __builtin_cpu_supports("avx512f")) all.push_back(avx512PrepLanes());
#endif
    return all;
}

}  // namespace gantry
