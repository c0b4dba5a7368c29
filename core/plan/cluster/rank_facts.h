#pragma once

#include <span>
#include <string>

#include "core/plan/cluster/grid_plan.h"
#include "core/plan/cluster/rank_weights.h"
#include "core/plan/performance_model.h"

namespace gantry {

/// What a rank reports about itself before a volume is distributed. Rates are a second, measured
/// while the other ranks of its machine work too; 0: not known.
struct RankFacts {
    std::string host;
    RankShare share;
    Index chunkSlices = 1;  ///< slices that it would store at a time
    Index minSlices = 1;    ///< min. slices of a slab for which its kernel is about as fast as it
                            ///< can be
    /// The cost of a column of voxels beside its slices, in slices; share.speed is that on slabs of
    /// share.maxSlices.
    double columnSlices = 0;
    bool isOnCpu = true;
    /// Its GPUs and memory, as node weights count them. For a rank without a GPU, threads count as
    /// multiprocessors and the host's memory as its own.
    struct Devices {
        double count = 1;
        double hostBytes = 1;
        double deviceBytes = 1;
        double multiprocessors = 1;
        double computeCapability = 1;  ///< the lowest
    } devices{};
    double loadBytes = 0;
    double filterPixels = 0;  ///< prepared and filtered, a second
    double linkBytes = 0;     ///< to and from its devices
    double storeBytes = 0;
    ExchangeRates exchange{};  ///< 0 where no groups are possible
};

/// The rates of the slowest rank.
[[nodiscard]] ExchangeRates exchangeOf(std::span<const RankFacts> ranks);

/// The cluster that models these ranks: equal nodes that together are as fast as all ranks.
[[nodiscard]] Cluster clusterOf(std::span<const RankFacts> ranks, const VolumeGrid& grid);

/// Chooses the grid that the model predicts to be fastest among those allowed, and distributes the
/// work to it. Without constraints, ranks make slices of their own unless another grid is clearly
/// faster; the last ranks have no work where a grid of fewer is.
/// Where the work is shared by speed and no views are gathered, slabs are thin enough to move from
/// one row to another during the run, as far as that costs little.
/// slabShare: the slabs' part of the largest that fit
/// @throws InputError as chooseGrid(), assignToGrid(), rankShares()
/// Tests: tests/core/plan/grid_plan_test.cpp
[[nodiscard]] GridPlan planGrid(const GridWork& work, const ClusterProblem& problem,
                                std::span<const RankFacts> ranks, const GridWishes& wishes,
                                const RankWeights& weights = {}, double slabShare = 1);

}  // namespace gantry
