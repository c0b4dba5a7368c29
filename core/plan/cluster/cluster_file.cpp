#include "core/plan/cluster/cluster_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/throw_error.h"
#include "core/plan/cluster/described_clusters.h"

namespace gantry {

namespace {

constexpr double kUpdatesOfOneGups = 1 << 30;
constexpr Index kMaxGpus = 1024;

double positive(JsonFields& fields, const char* name) {
    const double value = fields.number(name);
    if (!(value > 0)) fields.fail(name, "is {}; it must be above 0", value);
    return value;
}

// 0 where it is not given.
double notNegative(JsonFields& fields, const char* name) {
    const double value = fields.number(name, 0);
    if (!(value >= 0)) fields.fail(name, fmt::format("is {}; it must not be below 0", value));
    return value;
}

Index count(JsonFields& fields, const char* name) {
    const Index value = fields.integer(name);
    if (value < 1 || value > kMaxGpus)
        fields.fail(name, "is {}; it must be from 1 to {}", value, kMaxGpus);
    return value;
}

// [[32, 115], [128, 190]]: sizes and rates; a number is the rate of all sizes. of: what a pair has.
std::vector<RateAt> ratesIn(JsonFields& fields, const char* name, const char* of, double unit) {
    const nlohmann::json& list = fields.raw(name);
    const std::string allowed = fmt::format(
        "must be a list of pairs [{}], both above 0, the smallest first, or one "
        "number above 0 for all sizes",
        of);
    if (list.is_number() && list > 0) return {{1, unit * list.get<double>()}};
    if (!list.is_array() || list.empty()) fields.fail(name, allowed);
    std::vector<RateAt> rates;
    for (const nlohmann::json& pair : list) {
        const bool isPair = pair.is_array() && pair.size() == 2 && pair[0].is_number() &&
                            pair[1].is_number() && pair[0] > 0 && pair[1] > 0;
        if (!isPair) fields.fail(name, allowed);
        const RateAt rate = {pair[0].get<double>(), unit * pair[1].get<double>()};
        if (!rates.empty() && rate.size <= rates.back().size) fields.fail(name, allowed);
        rates.push_back(rate);
    }
    return rates;
}

}  // namespace

Cluster parseCluster(std::string_view json, const std::string& where) {
    const nlohmann::json document = parseJson(json, where);
    JsonFields fields(document, where);
    Cluster cluster;
    cluster.name = fields.text("name");
    (void)fields.text("source", "");  // for readers of the file
    cluster.gpusPerNode = static_cast<int>(count(fields, "gpusPerNode"));
    if (fields.has("coresPerNode"))
        cluster.coresPerNode = static_cast<int>(count(fields, "coresPerNode"));
    cluster.slabBytes = fields.integer("slabBytes");
    if (cluster.slabBytes < 1) fields.fail("slabBytes", "must be above 0");
    cluster.rates = ratesIn(fields, "slabGups", "slices, GUPS", kUpdatesOfOneGups);
    cluster.filterPixels = positive(fields, "filterPixelsPerSecond");
    cluster.linkBytes = positive(fields, "linkBytesPerSecond");
    cluster.linksPerNode = static_cast<int>(count(fields, "linksPerNode"));
    cluster.uploadsWholeViews = fields.boolean("uploadsWholeViews", false);
    cluster.gatherBytes = ratesIn(fields, "gatherBytesPerSecond", "rows, bytes a second", 1);
    cluster.networkBytes = notNegative(fields, "networkBytesPerSecond");
    cluster.gatheredViews =
        fields.boolean("gathersOneViewOfEachRank", false) ? 0 : cluster.gatheredViews;
    cluster.gatherExposed = fields.number("gatherExposed", 0);
    if (cluster.gatherExposed < 0 || cluster.gatherExposed > 1)
        fields.fail("gatherExposed", "must be from 0 to 1");
    cluster.messageSeconds = notNegative(fields, "messageSeconds");
    cluster.reduceBytes = positive(fields, "reduceBytesPerSecond");
    cluster.loadBytes = positive(fields, "loadBytesPerSecond");
    cluster.storeBytes = positive(fields, "storeBytesPerSecond");
    cluster.opensPerSecond = notNegative(fields, "opensPerSecond");
    cluster.startSeconds = notNegative(fields, "startSeconds");
    fields.finish();
    return cluster;
}

std::vector<std::string> knownClusters() {
    std::vector<std::string> names;
    for (const DescribedCluster& cluster : kDescribedClusters)
        names.emplace_back(cluster.name);
    return names;
}

Cluster findCluster(const std::filesystem::path& fileOrName) {
    if (pathExists(fileOrName)) return parseCluster(readTextFile(fileOrName), fileOrName.string());
    for (const DescribedCluster& cluster : kDescribedClusters)
        if (fileOrName == cluster.name)
            return parseCluster(cluster.json, std::string(cluster.name) + ".json");
    throwError<InputError>(
        "There is no description of a cluster at {}. Give a JSON file, or one of these names: {}.",
        fileOrName.string(), fmt::join(knownClusters(), ", "));
}

}  // namespace gantry
