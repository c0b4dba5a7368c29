#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/verify/verify_run.h"

namespace gantry {

/// All that was measured of a piece, with its whole curves, for machines.
[[nodiscard]] nlohmann::ordered_json toJson(const PieceMeasures& measures);

}  // namespace gantry
