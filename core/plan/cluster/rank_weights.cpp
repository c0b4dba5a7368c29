#include "core/plan/cluster/rank_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>

#include "core/base/throw_error.h"
#include "core/plan/cluster/rank_facts.h"

namespace gantry {

namespace {

constexpr std::array<std::string_view, 4> kParameters = {"gpus", "memory", "multiprocessors",
                                                         "capability"};
constexpr const char* kAllowed =
    "Allowed are measured, uniform, log, logistic, logistic-planes; a number above 0 for each "
    "rank, as 2,1,1, or for each machine, as alpha:2,beta:1; or weighted functions of gpus, "
    "memory, multiprocessors and capability, as 0.5*gpus + 0.3*log(memory,1,0.1,0.5) + "
    "0.2*min(multiprocessors,200).";

[[noreturn]] void fail(const std::string& text, const std::string& fault) {
    throw InputError(fmt::format("The weights are '{}'; {}. {}", text, fault, kAllowed),
                     {.field = "weights"});
}

std::string withoutSpaces(std::string text) {
    std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
    return text;
}

// Reads a text from its beginning.
class Reader {
  public:
    explicit Reader(const std::string& text) : m_text(text), m_compact(withoutSpaces(text)) {}

    [[nodiscard]] bool atEnd() const { return m_at == m_compact.size(); }
    [[nodiscard]] bool take(char c) {
        const bool isThere = !atEnd() && m_compact[m_at] == c;
        if (isThere) ++m_at;
        return isThere;
    }
    [[nodiscard]] std::optional<double> number() {
        double value = 0;
        const char* const begin = m_compact.data() + m_at;
        const auto [end, error] =
            std::from_chars(begin, m_compact.data() + m_compact.size(), value);
        if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
        m_at += static_cast<std::size_t>(end - begin);
        return value;
    }
    [[nodiscard]] double neededNumber() {
        const std::optional<double> value = number();
        if (!value) failHere("a number is missing");
        return *value;
    }
    // Reads up to one of these letters or the end.
    [[nodiscard]] std::string until(std::string_view letters) {
        const std::size_t end = std::min(m_compact.find_first_of(letters, m_at), m_compact.size());
        std::string word = m_compact.substr(m_at, end - m_at);
        m_at = end;
        return word;
    }
    [[noreturn]] void failHere(const std::string& fault) const {
        fail(m_text, fmt::format("{} before '{}'", fault, m_compact.substr(m_at)));
    }

  private:
    const std::string& m_text;
    const std::string m_compact;
    std::size_t m_at = 0;
};

std::size_t parameterOf(const std::string& word, const Reader& reader) {
    const auto found = std::ranges::find(kParameters, word);
    if (found == kParameters.end())
        reader.failHere(fmt::format("'{}' is no parameter of a node", word));
    return static_cast<std::size_t>(found - kParameters.begin());
}

WeightFunction functionOf(const std::string& name, const std::vector<double>& numbers,
                          const Reader& reader) {
    const bool isCap = name == "min";
    if (!isCap && name != "log" && name != "logistic")
        reader.failHere(fmt::format("'{}' is no function; there are min, log and logistic", name));
    if (numbers.size() != (isCap ? 1U : 3U))
        reader.failHere(fmt::format("{} has {} numbers after the parameter; it takes {}", name,
                                    numbers.size(), isCap ? 1 : 3));
    if (isCap) return CappedFunction{numbers[0]};
    if (name == "log") return LogFunction{.a = numbers[0], .b = numbers[1], .c = numbers[2]};
    if (numbers[1] == 0) reader.failHere("logistic has the width 0");
    return DoubleLogisticFunction{.d = numbers[0], .s = numbers[1], .a = numbers[2]};
}

// "0.3*log(memory,1,0.1,0.5)"
void readTerm(Reader& reader, NodeWeights& weights) {
    const double weight = reader.number().value_or(1);
    (void)reader.take('*');
    const std::string word = reader.until("(+");
    std::size_t parameter = 0;
    WeightFunction function;
    if (reader.take('(')) {
        parameter = parameterOf(reader.until(",)"), reader);
        std::vector<double> numbers;
        while (reader.take(','))
            numbers.push_back(reader.neededNumber());
        if (!reader.take(')')) reader.failHere("a bracket is not closed");
        function = functionOf(word, numbers, reader);
    } else {
        parameter = parameterOf(word, reader);
    }
    if (!(weight > 0)) reader.failHere(fmt::format("the weight {} is not above 0", weight));
    if (weights.weights[parameter] > 0)
        reader.failHere(fmt::format("{} is there twice", kParameters[parameter]));
    weights.weights[parameter] = weight;
    weights.functions[parameter] = function;
}

RankWeights parseOperator(const std::string& text) {
    RankWeights weights;
    weights.by = RankWeights::By::nodes;
    Reader reader(text);
    do
        readTerm(reader, weights.operators);
    while (reader.take('+'));
    if (!reader.atEnd()) reader.failHere("a + is missing");
    return weights;
}

// "2,1,1", "alpha:2,beta:1"
RankWeights parseNumbers(const std::string& text, bool haveNames) {
    RankWeights weights;
    weights.by = haveNames ? RankWeights::By::hosts : RankWeights::By::ranks;
    Reader reader(text);
    do {
        if (haveNames) {
            weights.hosts.push_back(reader.until(":,"));
            const auto count = std::ranges::count(weights.hosts, weights.hosts.back());
            if (weights.hosts.back().empty() || !reader.take(':'))
                reader.failHere("the name of a machine and a colon are missing");
            if (count > 1) reader.failHere(weights.hosts.back() + " is there twice");
        }
        weights.numbers.push_back(reader.neededNumber());
        constexpr double kMax = 1e9;
        if (!(weights.numbers.back() > 0) || weights.numbers.back() > kMax)
            reader.failHere(
                fmt::format("{} is not above 0, or more than 1e9", weights.numbers.back()));
    } while (reader.take(','));
    if (!reader.atEnd()) reader.failHere("a comma is missing");
    return weights;
}

RankWeights ofNodes(NodeWeights operators, bool countsSlices = false) {
    RankWeights weights;
    weights.by = RankWeights::By::nodes;
    weights.operators = operators;
    weights.countsSlices = countsSlices;
    return weights;
}

// The machines of all ranks, in the order of their first ranks, and their summed properties.
struct Machines {
    std::vector<std::string> names;
    std::vector<NodeParameters> nodes;
    std::vector<std::size_t> ofRank;
};

Machines machinesOf(std::span<const RankFacts> ranks) {
    Machines all;
    std::map<std::string, std::size_t> places;
    std::vector<double> hostBytes;
    std::vector<double> deviceBytes;
    for (const RankFacts& rank : ranks) {
        const auto [place, isNew] = places.emplace(rank.host, all.names.size());
        if (isNew) {
            all.names.push_back(rank.host);
            all.nodes.push_back({0, 0, 0, std::numeric_limits<double>::infinity()});
            hostBytes.push_back(0);
            deviceBytes.push_back(0);
        }
        const std::size_t i = place->second;
        all.ofRank.push_back(i);
        NodeParameters& node = all.nodes[i];
        node.gpus += rank.devices.count;
        node.multiprocessors += rank.devices.multiprocessors;
        node.computeCapability = std::min(node.computeCapability, rank.devices.computeCapability);
        hostBytes[i] += rank.devices.hostBytes;
        deviceBytes[i] += rank.devices.deviceBytes;
    }
    for (std::size_t i = 0; i < all.nodes.size(); ++i)
        all.nodes[i].memoryRatio = deviceBytes[i] > 0 ? hostBytes[i] / deviceBytes[i] : 0;
    return all;
}

// Splits each machine's share among its ranks, by their multiprocessors.
std::vector<double> sharedOnMachines(const std::vector<double>& shares, const Machines& machines,
                                     std::span<const RankFacts> ranks) {
    std::vector<double> multiprocessors(shares.size());
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
        multiprocessors[machines.ofRank[rank]] += ranks[rank].devices.multiprocessors;
    std::vector<double> all;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        const std::size_t machine = machines.ofRank[rank];
        all.push_back(shares[machine] * ranks[rank].devices.multiprocessors /
                      multiprocessors[machine]);
    }
    return all;
}

std::vector<double> sharesByHosts(const RankWeights& weights, const Machines& machines) {
    std::vector<double> shares;
    for (const std::string& name : machines.names) {
        const auto found = std::ranges::find(weights.hosts, name);
        if (found == weights.hosts.end())
            throw InputError(fmt::format("The weights name no machine {}, on which ranks of this "
                                         "job are. Name each machine.",
                                         name),
                             {.field = "weights"});
        shares.push_back(weights.numbers[found - weights.hosts.begin()]);
    }
    return shares;
}

std::vector<double> unscaledShares(const RankWeights& weights, std::span<const RankFacts> ranks,
                                   Index slices) {
    using By = RankWeights::By;
    std::vector<double> shares(ranks.size(), 1.0);
    if (weights.by == By::nothing) return shares;
    if (weights.by == By::speed) {
        std::ranges::transform(ranks, shares.begin(),
                               [](const RankFacts& rank) { return rank.share.speed; });
        return shares;
    }
    if (weights.by == By::ranks) {
        if (weights.numbers.size() != ranks.size())
            throw InputError(fmt::format("The weights are for {} ranks, and the job has {}. Give "
                                         "one number for each rank.",
                                         weights.numbers.size(), ranks.size()),
                             {.field = "weights"});
        return weights.numbers;
    }
    const Machines machines = machinesOf(ranks);
    if (weights.by == By::hosts)
        return sharedOnMachines(sharesByHosts(weights, machines), machines, ranks);
    const NodeWeights operators =
        weights.countsSlices ? doubleLogisticWeights(slices) : weights.operators;
    return sharedOnMachines(nodeShares(operators, machines.nodes), machines, ranks);
}

constexpr std::array<double NodeParameters::*, 4> kParameterFields = {
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

RankWeights parseRankWeights(const std::string& text) {
    if (text == "measured") return {};
    if (text == "uniform") return {.by = RankWeights::By::nothing, .numbers = {}, .hosts = {}};
    if (text == "log") return ofNodes(logWeights());
    if (text == "logistic") return ofNodes(doubleLogisticWeights());
    if (text == "logistic-planes") return ofNodes({}, true);
    if (text.empty()) fail(text, "they are empty");
    const bool haveNames = text.find(':') != std::string::npos;
    const bool areNumbers = text.find_first_not_of("0123456789.,eE+- \t") == std::string::npos;
    if (haveNames || areNumbers) return parseNumbers(text, haveNames);
    return parseOperator(text);
}

std::vector<double> rankShares(const RankWeights& weights, std::span<const RankFacts> ranks,
                               Index slices) {
    std::vector<double> shares = unscaledShares(weights, ranks, slices);
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares)
        share /= sum;
    return shares;
}

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
    for (std::size_t k = 0; k < kParameterFields.size(); ++k) {
        if (weights.weights[k] == 0) continue;
        std::vector<double> values;
        for (const NodeParameters& node : nodes)
            values.push_back(std::visit(ValueAt{node.*kParameterFields[k]}, weights.functions[k]));
        const double sum = sumOf(values);
        if (!(sum > 0))
            throwError<InputError>(
                "The function of the weights' parameter {} comes to {:.3g} for all nodes together; "
                "it must come to more than 0.",
                k + 1, sum);
        for (std::size_t i = 0; i < nodes.size(); ++i)
            shares[i] += weights.weights[k] * values[i] / sum;
    }
    const double sum = sumOf(shares);
    for (std::size_t i = 0; i < shares.size(); ++i) {
        shares[i] /= sum;
        if (!(shares[i] > 0) || !std::isfinite(shares[i]))
            throwError<InputError>(
                "The weights give node {} a share of {:.3g} %; every node must get more than 0 %. "
                "Change the weights or their functions, or leave the node out.",
                i + 1, 100 * shares[i]);
    }
    return shares;
}

}  // namespace gantry
