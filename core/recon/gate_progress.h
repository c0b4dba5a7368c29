#pragma once

#include "core/prep/line_integrals.h"

namespace gantry {

/// Pixels gated in the slabs made so far. Slabs share detector rows; each row is counted once.
struct GateProgress {
    GateCounts counts;
    Index countedRows = 0;  ///< rows below this one are in `counts`
};

}  // namespace gantry
