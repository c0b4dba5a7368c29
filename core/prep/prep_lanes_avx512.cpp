#include "core/prep/prep_lanes.h"

#if defined(__AVX512F__)
#include "core/prep/cosine_lanes_impl.h"
#include "core/prep/rank_lanes_impl.h"
#endif

namespace gantry {

const PrepLanes* avx512PrepLanes() {
#if defined(__AVX512F__)
    static constexpr PrepLanes kLanes = {"AVX-512", 16, sortColumns<16>, takeMedians<16>,
                                         retrievePhase<16>};
    return &kLanes;
#else
    return nullptr;
#endif
}

}  // namespace gantry
