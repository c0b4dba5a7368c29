#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/cluster/node_weights.h"

namespace gantry {

struct RankFacts;

/// By what the work of a job is shared among its ranks.
struct RankWeights {
    enum class By {
        speed,    ///< what each does in a short trial; corrected while all are at work
        nothing,  ///< all get the same
        nodes,    ///< the operator W·F, of what the nodes are; the ranks of a node share
        ranks,    ///< a number for each rank
        hosts,    ///< a number for each machine; its ranks share
    };
    By by = By::speed;
    NodeWeights operators{};      ///< of `nodes`
    bool countsSlices = false;    ///< `operators` are those of scheme 3, for the volume's slices
    std::vector<double> numbers;  ///< of ranks or machines
    std::vector<std::string> hosts;
};

/// As a job's field and --weights have it: measured, uniform, log, logistic, logistic-planes;
/// "2,1,1" for ranks; "alpha:2,beta:1" for machines; or the operator itself, as in
/// "0.5*gpus + 0.3*log(memory,1,0.1,0.5) + 0.2*multiprocessors". Its functions are min(p,most),
/// log(p,a,b,c) and logistic(p,d,s,a) of node_weights.h, its parameters gpus, memory,
/// multiprocessors and capability.
/// @throws InputError saying what was found, and what is allowed
/// Tests: tests/core/plan/rank_weights_test.cpp
[[nodiscard]] RankWeights parseRankWeights(const std::string& text);

/// The share of each rank; they add up to 1.
/// slices: of the volume
/// @throws InputError where the weights are for other ranks or machines, or as nodeShares()
[[nodiscard]] std::vector<double> rankShares(const RankWeights& weights,
                                             std::span<const RankFacts> ranks, Index slices);

}  // namespace gantry
