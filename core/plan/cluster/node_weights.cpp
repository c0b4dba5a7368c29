#include "core/plan/cluster/node_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"

namespace gantry {

namespace {

constexpr std::array<double NodeParameters::*, 4> kParameters = {
    &NodeParameters::gpus, &NodeParameters::memoryRatio, &NodeParameters::multiprocessors,
    &NodeParameters::computeCapability};
// The weights of all schemes, in the paper's order: GPUs count most, the compute capability least.
constexpr std::array<double, 4> kWeights = {0.339, 0.330, 0.330, 0.001};

// Constants of scheme 3 for the fewest and the most slices in the paper's tables.
constexpr DoubleLogisticFunction kFewSlices = {.d = 6.31, .s = 1.27, .a = -2.22};
constexpr DoubleLogisticFunction kManySlices = {.d = 4.98, .s = 10.04, .a = -0.222};
constexpr double kFew = 2000;
constexpr double kMany = 10000;

struct ValueAt {
    double x;

    double operator()(std::monostate) const { return x; }
    double operator()(const CappedFunction& f) const { return std::min(x, f.max); }
    double operator()(const LogFunction& f) const { return f.a * std::log(x + f.b) + f.c; }
    double operator()(const DoubleLogisticFunction& f) const {
        const double away = (x - f.d) / f.s;
        return std::copysign(1 - std::exp(-away * away), x - f.d) - f.a;
    }
};

NodeWeights weightsWith(const WeightFunction& ofMemoryRatio) {
    NodeWeights weights;
    weights.functions[1] = ofMemoryRatio;
    weights.weights = kWeights;
    return weights;
}

double sumOf(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

NodeWeights logWeights() {
    return weightsWith(LogFunction{.a = 1, .b = 0.092, .c = 0.474});
}

NodeWeights doubleLogisticWeights() {
    return weightsWith(DoubleLogisticFunction{.d = 5.17, .s = 4.83, .a = -0.661});
}

NodeWeights doubleLogisticWeights(Index slices) {
    const double t = std::clamp((static_cast<double>(slices) - kFew) / (kMany - kFew), 0.0, 1.0);
    return weightsWith(DoubleLogisticFunction{.d = std::lerp(kFewSlices.d, kManySlices.d, t),
                                              .s = std::lerp(kFewSlices.s, kManySlices.s, t),
                                              .a = std::lerp(kFewSlices.a, kManySlices.a, t)});
}

std::vector<double> nodeShares(const NodeWeights& weights, std::span<const NodeParameters> nodes) {
    std::vector<double> shares(nodes.size());
    for (std::size_t k = 0; k < kParameters.size(); ++k) {
        if (weights.weights[k] == 0) continue;
        std::vector<double> values;
        for (const NodeParameters& node : nodes)
            values.push_back(std::visit(ValueAt{node.*kParameters[k]}, weights.functions[k]));
        const double sum = sumOf(values);
        if (!(sum > 0))
            throw InputError(
                fmt::format("The function of the weights' parameter {} comes to {:.3g} for all "
                            "nodes together; it must come to more than 0.",
                            k + 1, sum));
        for (std::size_t i = 0; i < nodes.size(); ++i)
            shares[i] += weights.weights[k] * values[i] / sum;
    }
    const double sum = sumOf(shares);
    for (std::size_t i = 0; i < shares.size(); ++i) {
        shares[i] /= sum;
        if (!(shares[i] > 0) || !std::isfinite(shares[i]))
            throw InputError(
                fmt::format("The weights give node {} a share of {:.3g} %; every node must get "
                            "more than 0 %. Change the weights or their functions, or leave the "
                            "node out.",
                            i + 1, 100 * shares[i]));
    }
    return shares;
}

}  // namespace gantry
