#include "core/prep/prep_lanes.h"

#if defined(__AVX2__)
#include "core/prep/cosine_lanes_impl.h"
#include "core/prep/rank_lanes_impl.h"
#endif

namespace gantry {

const PrepLanes* avx2PrepLanes() {
#if defined(__AVX2__)
    static constexpr PrepLanes kLanes = {"AVX2", 8, sortColumns<8>, takeMedians<8>,
                                         retrievePhase<8>};
    return &kLanes;
#else
    return nullptr;
#endif
}

}  // namespace gantry
