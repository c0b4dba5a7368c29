#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/verify/verify_run.h"

namespace gantry {

/// All measures of a piece, including whole curves, for programs.
[[nodiscard]] nlohmann::ordered_json toJson(const PieceMeasures& measures);

}  // namespace gantry
