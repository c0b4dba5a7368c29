#pragma once

#include <span>

#include "core/plan/cluster/rank_facts.h"
#include "core/plan/job_plan.h"
#include "core/plan/performance_model.h"

namespace gantry {

/// A rank's forecast with what it exchanges with others: views that it gathers, and slices that are
/// summed with those of its row. On the CPU both add to what is computed, as copying takes the same
/// cores and memory; on devices all overlaps but the last slab's sum. What a rank waits for slower
/// ones is not in it.
/// own: forecast() of the rank's plan
/// Tests: tests/core/plan/rank_forecast_test.cpp
[[nodiscard]] Forecast withExchanges(Forecast own, const JobPlan& plan, const VolumeGrid& grid,
                                     Index detectorColumns, const ExchangeRates& rates);

/// Of all ranks of a run, as a timeline of all of them adds up: each stage's seconds of all, and
/// the wall time of the slowest; not predicted where one rank's is not.
[[nodiscard]] Forecast ofAllRanks(std::span<const Forecast> ranks);

}  // namespace gantry
