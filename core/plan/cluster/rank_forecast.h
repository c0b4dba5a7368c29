#pragma once

#include <span>

#include "core/plan/performance_model.h"

namespace gantry {

/// Of all ranks of a run, as a timeline of all of them adds up: each stage's seconds of all, and
/// the wall time of the slowest; not predicted where one rank's is not.
/// Tests: tests/core/plan/rank_forecast_test.cpp
[[nodiscard]] Forecast ofAllRanks(std::span<const Forecast> ranks);

}  // namespace gantry
