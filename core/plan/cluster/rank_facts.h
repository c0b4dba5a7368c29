#pragma once

#include <span>
#include <string>

#include "core/plan/cluster/grid_plan.h"
#include "core/plan/cluster/rank_weights.h"
#include "core/plan/exchange_rates.h"

namespace gantry {

/// What a rank tells of itself before a volume is dealt. Rates are a second, of what the rank does
/// while the others of its machine are at work too; 0: not known.
struct RankFacts {
    std::string host;
    RankShare share;
    Index chunkSlices = 1;  ///< that it would store at a time
    Index leastSlices = 1;  ///< of a slab for which its kernel is about as fast as it can be
    /// What a column of voxels costs beside its slices, as so many of them; share.speed is that on
    /// slabs of share.mostSlices.
    double columnSlices = 0;
    bool isOnCpu = true;
    /// Its GPUs and memory, as node weights count them. A rank without a GPU is one whose
    /// multiprocessors are its threads, and whose memory is the host's.
    struct Devices {
        double count = 1;
        double hostBytes = 1;
        double deviceBytes = 1;
        double multiprocessors = 1;
        double computeCapability = 1;  ///< the lowest
    } devices{};
    double loadBytes = 0;
    double filterPixels = 0;  ///< prepared and filtered
    double linkBytes = 0;     ///< to and from its devices
    double storeBytes = 0;
    ExchangeRates exchange{};  ///< 0 where there are no groups
};

/// Of the slowest.
[[nodiscard]] ExchangeRates exchangeOf(std::span<const RankFacts> ranks);

/// The ranks as the model of a run has them: nodes that are as fast as all are together.
[[nodiscard]] Cluster clusterOf(std::span<const RankFacts> ranks, const VolumeGrid& grid);

/// Chooses the grid that the model finds fastest among those wished for, and deals to it. Where
/// nothing is wished for, ranks that make slices of their own are kept to unless another grid is
/// clearly faster.
/// Where the work is shared by speed and no views are gathered, slabs are thin enough to move from
/// one row to another while all are at work, as far as that costs little.
/// slabShare: part of the slabs that fit which are to be made
/// @throws InputError as chooseGrid(), dealToGrid(), rankShares()
/// Tests: tests/core/plan/grid_plan_test.cpp
[[nodiscard]] GridPlan planGrid(const GridWork& work, const ClusterProblem& problem,
                                std::span<const RankFacts> ranks, const GridWishes& wishes,
                                const RankWeights& weights = {}, double slabShare = 1);

}  // namespace gantry
