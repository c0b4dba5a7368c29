#pragma once

#include <nlohmann/json.hpp>

#include "core/pipeline/timeline.h"

namespace gantry {

/// Seconds, spans, bytes and updates of every stage with spans, and the totals.
[[nodiscard]] nlohmann::ordered_json timelineJson(const TimelineSummary& timeline);

}  // namespace gantry
