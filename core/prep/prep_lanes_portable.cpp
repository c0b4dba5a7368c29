#include "core/prep/cosine_lanes_impl.h"
#include "core/prep/rank_lanes_impl.h"

namespace gantry {

const PrepLanes* portablePrepLanes() {
    static constexpr PrepLanes kLanes = {"portable", 4, sortColumns<4>, takeMedians<4>,
                                         retrievePhase<4>};
    return &kLanes;
}

}  // namespace gantry
