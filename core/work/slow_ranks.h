#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/job/grid_plan_json.h"
#include "core/pipeline/timeline.h"
#include "core/plan/cluster/grid_plan.h"

namespace gantry {

/// The ranks of a run that were clearly slower than their shares of the work imply, each in a
/// sentence, the slowest first. A rank is as fast as the stage that kept it busy longest. spans: of
/// all ranks; those that begin before `beginNs` belong to earlier runs Tests:
/// tests/core/work/slow_ranks_test.cpp
[[nodiscard]] std::vector<std::string> slowRanks(std::span<const TimelineSpan> spans,
                                                 std::int64_t beginNs, const GridPlan& plan,
                                                 const std::vector<std::string>& hosts);

/// Seconds of the stages on the rank that is predicted to be slowest; 0: not predicted.
[[nodiscard]] double slowestForecast(std::span<const RankPlan> ranks);

}  // namespace gantry
