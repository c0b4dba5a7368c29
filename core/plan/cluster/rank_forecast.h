#pragma once

#include <span>

#include "core/plan/performance_model.h"

namespace gantry {

/// Combines the forecasts of all ranks of a run as a timeline adds up their spans: the sum of each
/// stage's seconds, and the wall time of the slowest rank; not predicted where one rank's is not.
/// Tests: tests/core/plan/rank_forecast_test.cpp
[[nodiscard]] Forecast ofAllRanks(std::span<const Forecast> ranks);

}  // namespace gantry
