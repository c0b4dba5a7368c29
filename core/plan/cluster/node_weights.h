#pragma once

#include <array>
#include <span>
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

/// x, capped at `most`. (The paper writes max where it caps a value.)
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

}  // namespace gantry
