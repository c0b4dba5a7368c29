#pragma once

#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/cluster/rank_group.h"
#include "core/job/grid_plan_json.h"
#include "core/machine/measure.h"
#include "core/plan/cluster/rank_facts.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// How a rank communicates with the others while they plan; all call these in the same order.
struct PlanningCommunicator {
    int rank = 0;
    std::string host;
    RankGroup* all = nullptr;  ///< of all ranks; null where MPI admits one thread at a time
    /// Collects every rank's text on the first rank.
    std::function<std::vector<std::string>(const std::string& text)> gather;
    /// Sends the first rank's text to all.
    std::function<std::string(const std::string& text)> broadcast;
};

/// The input of common planning.
struct RankRequest {
    const OpenScan& scan;
    const JobSpec& spec;  ///< with this rank's part of its machine
    const Backends& backends;
    const SinkNeeds& sink;
    const std::optional<FinishedSlabs>& finished;
    std::optional<GridPlan> stored{};  ///< on the first rank: of an earlier run, used if it fits
    bool reads = true;                 ///< this rank reads views itself
};

/// The smallest of all ranks' numbers.
[[nodiscard]] Index smallestOfAll(const PlanningCommunicator& communicator, Index own);
/// Measures what each rank takes from the others a second when all exchange with all, bytes; 0
/// where there are no groups.
[[nodiscard]] double exchangeRate(const PlanningCommunicator& communicator, Index memoryBytes,
                                  const std::stop_token& stop);
/// A rank's plan as the others and the report see it.
[[nodiscard]] RankPlan summaryOf(const PlannedRun& run, const std::string& host);
/// Those of all ranks, on the first.
[[nodiscard]] std::vector<RankPlan> gatherPlans(const PlanningCommunicator& communicator,
                                                const PlannedRun& run);
[[nodiscard]] std::vector<Forecast> forecastsOf(std::span<const RankPlan> ranks);

struct PlannedRank {
    PlannedRun run;
    std::vector<RankPlan> ranks;  ///< on the first rank: the plans of all
    bool moves = false;           ///< passes may move during the run: see RankBalancer
};

/// Each rank tries what it can do, the first distributes the volume to a grid, and each plans its
/// part; if one has too little memory, this is repeated with thinner slabs.
/// @throws as learnAndPlan() and planGrid(); ResourceError where not even thin slabs fit
/// Tests: tests/cli/test_ranks.py
[[nodiscard]] PlannedRank planTogether(const RankRequest& request,
                                       const PlanningCommunicator& communicator,
                                       const std::stop_token& stop);

}  // namespace gantry
