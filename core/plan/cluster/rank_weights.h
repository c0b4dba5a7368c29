#pragma once

#include <array>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// The properties of a node by which its share of the work is weighted (Orr, Jimenez, Thompson:
/// Cluster-Based Approach to a Multi-GPU CT Reconstruction Algorithm, section III.B).
struct NodeParameters {
    double gpus = 0;
    double memoryRatio = 0;        ///< free memory of the host over that of all its GPUs together
    double multiprocessors = 0;    ///< of all its GPUs together
    double computeCapability = 0;  ///< the lowest of its GPUs'
};

/// x, capped at `max`. (The paper writes max(…) for this minimum.)
struct CappedFunction {
    double max = 0;
};
/// a·log(x + b) + c
struct LogFunction {
    double a = 1;
    double b = 0;
    double c = 0;
};
/// sign(x − d)·(1 − exp(−((x − d)/s)²)) − a
struct DoubleLogisticFunction {
    double d = 0;
    double s = 1;
    double a = 0;
};
/// The function that a parameter is passed through; none: the parameter itself.
using WeightFunction =
    std::variant<std::monostate, CappedFunction, LogFunction, DoubleLogisticFunction>;

/// The operator W·F of the paper: a function of each parameter, and its weight. In the order of
/// NodeParameters.
struct NodeWeights {
    std::array<WeightFunction, 4> functions;
    std::array<double, 4> weights = {};
};

// The paper prints the functions of its three schemes and the resulting shares, but none of their
// constants. These constants were fitted to the shares of its tables I to IV, and reproduce them to
// the last digit printed.

/// Scheme 1: the logarithm of the memory ratio counts.
[[nodiscard]] NodeWeights logWeights();
/// Scheme 2: a double logistic curve of the memory ratio counts.
[[nodiscard]] NodeWeights doubleLogisticWeights();
/// Scheme 3: like scheme 2, with a curve that is wider for more slices. Between 2,000 and 10,000
/// slices the constants are interpolated, outside they are those of the nearer end.
[[nodiscard]] NodeWeights doubleLogisticWeights(Index slices);

/// The share of the work of each node; they add up to 1. Each function's values are divided by
/// their sum over the nodes before they are weighted.
/// @throws InputError naming the node whose share is not above 0, or is no number
/// Tests: tests/core/plan/node_weights_test.cpp
[[nodiscard]] std::vector<double> nodeShares(const NodeWeights& weights,
                                             std::span<const NodeParameters> nodes);

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
