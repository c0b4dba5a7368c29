#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/cluster/node_weights.h"

namespace gantry {

struct RankFacts;

/// How the work of a job is shared among its ranks.
struct RankWeights {
    enum class By {
        speed,    ///< by each rank's speed in a short trial; corrected during the run
        nothing,  ///< equally
        nodes,    ///< by the operator W·F on the nodes' properties; the ranks of a node share
        ranks,    ///< by a number for each rank
        hosts,    ///< by a number for each machine; its ranks share
    };
    By by = By::speed;
    NodeWeights operators{};      ///< for `nodes`
    bool countsSlices = false;    ///< `operators` are those of scheme 3, for the volume's slices
    std::vector<double> numbers;  ///< for ranks or machines
    std::vector<std::string> hosts;
};

/// Parses a job's field or --weights: measured, uniform, log, logistic, logistic-planes; "2,1,1"
/// for ranks; "alpha:2,beta:1" for machines; or the operator itself, as in
/// "0.5*gpus + 0.3*log(memory,1,0.1,0.5) + 0.2*multiprocessors". Its functions are min(p,most),
/// log(p,a,b,c) and logistic(p,d,s,a) of node_weights.h, its parameters gpus, memory,
/// multiprocessors and capability.
/// @throws InputError stating what was found and what is allowed
/// Tests: tests/core/plan/rank_weights_test.cpp
[[nodiscard]] RankWeights parseRankWeights(const std::string& text);

/// The share of each rank; they add up to 1.
/// slices: of the volume
/// @throws InputError where the weights are for other ranks or machines, or as nodeShares()
[[nodiscard]] std::vector<double> rankShares(const RankWeights& weights,
                                             std::span<const RankFacts> ranks, Index slices);

}  // namespace gantry
