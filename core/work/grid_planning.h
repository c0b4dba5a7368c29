#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/cluster/rank_group.h"
#include "core/job/grid_plan_json.h"
#include "core/machine/measure.h"
#include "core/plan/cluster/rank_facts.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// How a rank speaks with the others while they plan; all do the same in the same order.
struct RankTalk {
    int rank = 0;
    std::string host;
    RankGroup* all = nullptr;  ///< of all ranks; none where MPI serves one thread at a time
    /// Every rank's text, on the first.
    std::function<std::vector<std::string>(const std::string& text)> gather;
    /// The first's text, on all.
    std::function<std::string(const std::string& text)> broadcast;
};

/// What ranks plan together.
struct RankRequest {
    const OpenScan& scan;
    const JobSpec& spec;  ///< with this rank's part of its machine
    const Backends& backends;
    const SinkNeeds& sink;
    const std::optional<FinishedSlabs>& finished;
    std::optional<GridPlan> stored{};  ///< on the first: of a run before, which is taken if it fits
    bool reads = true;                 ///< views itself, not by another rank
};

struct PlannedRank {
    PlannedRun run;
    std::vector<RankPlan> ranks;  ///< on the first: what all do
    bool moves = false;           ///< passes move while all work: see RankDealing
};

/// Each rank tries what it can do, the first deals the volume to a grid, and each plans its part;
/// again with thinner slabs where one has too little memory.
/// @throws as learnAndPlan() and planGrid(); ResourceError where not even thin slabs fit
/// Tests: tests/cli/test_ranks.py
[[nodiscard]] PlannedRank planTogether(const RankRequest& request, const RankTalk& talk,
                                       const std::stop_token& stop);

}  // namespace gantry
