#include "core/job/grid_plan_json.h"

#include <nlohmann/json.hpp>

#include "core/job/forecast_file.h"
#include "core/job/index_ranges_json.h"
#include "core/job/job_fields.h"

namespace gantry {

namespace {

// One range; nothing if there is none, or if there are two.
std::optional<IndexRange> parseOneRange(const nlohmann::json& value) {
    const std::optional<IndexRanges> ranges = parseIndexRanges(value);
    if (!ranges || ranges->parts().size() != 1) return std::nullopt;
    return ranges->hull();
}

std::string_view placeWord(FilterOn place) {
    return place == FilterOn::gpu ? kGpuWord : kCpuWord;
}

// These return nothing for any other word.
std::optional<Exchange> parseExchange(const nlohmann::json& value) {
    for (const Exchange exchange : {Exchange::rows, Exchange::gather})
        if (value == name(exchange)) return exchange;
    return std::nullopt;
}

std::optional<FilterOn> parseFilterOn(const nlohmann::json& value) {
    if (value == std::string(kGpuWord)) return FilterOn::gpu;
    if (value == std::string(kCpuWord)) return FilterOn::cpu;
    return std::nullopt;
}

}  // namespace

nlohmann::ordered_json toJson(const GridPlan& plan) {
    nlohmann::ordered_json views = nlohmann::ordered_json::array();
    for (const IndexRange& range : plan.views)
        views.push_back(toJson(IndexRanges(range)));
    nlohmann::ordered_json slabs = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < plan.slabs.slabs.size(); ++i)
        slabs.push_back({{"slices", toJson(plan.slabs.slabs[i])}, {"row", plan.slabs.ranks[i]}});
    nlohmann::ordered_json filterOn = nlohmann::ordered_json::array();
    for (const FilterOn place : plan.filterOn)
        filterOn.push_back(placeWord(place));
    return {{"rows", plan.grid.rows},
            {"columns", plan.grid.columns},
            {"exchange", std::string(name(plan.grid.exchange))},
            {"why", plan.why},
            {"chunkSlices", plan.chunkSlices},
            {"shares", plan.shares},
            {"idleRanks", plan.idleRanks},
            {"moves", plan.moves},
            {"filterOn", filterOn},
            {"views", views},
            {"slabs", slabs}};
}

std::optional<GridPlan> parseGridPlan(const nlohmann::json& value) {
    try {
        if (!value.at("views").is_array() || !value.at("slabs").is_array()) return std::nullopt;
        GridPlan plan;
        plan.grid.rows = value.at("rows").get<Index>();
        plan.grid.columns = value.at("columns").get<Index>();
        plan.grid.exchange = parseExchange(value.at("exchange")).value();
        plan.why = value.at("why").get<std::string>();
        plan.chunkSlices = value.at("chunkSlices").get<Index>();
        plan.shares = value.at("shares").get<std::vector<double>>();
        plan.moves = value.at("moves").get<bool>();
        // Earlier versions did not keep these.
        plan.idleRanks = value.value("idleRanks", Index{0});
        if (const auto places = value.find("filterOn"); places != value.end()) {
            if (!places->is_array()) return std::nullopt;
            for (const nlohmann::json& place : *places)
                plan.filterOn.push_back(parseFilterOn(place).value());
        }
        for (const nlohmann::json& range : value.at("views"))
            plan.views.push_back(parseOneRange(range).value());
        for (const nlohmann::json& slab : value.at("slabs")) {
            plan.slabs.slabs.push_back(parseIndexRanges(slab.at("slices")).value());
            plan.slabs.ranks.push_back(slab.at("row").get<int>());
        }
        if (plan.grid.rows < 1 || plan.grid.columns < 1 || plan.idleRanks < 0) return std::nullopt;
        for (const double share : plan.shares)
            if (!(share > 0)) return std::nullopt;
        return plan;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    } catch (const std::bad_optional_access&) {
        return std::nullopt;
    }
}

nlohmann::ordered_json toJson(const RankPlan& plan) {
    nlohmann::ordered_json assignments = nlohmann::ordered_json::array();
    for (const Assignment& part : plan.assignments)
        assignments.push_back({{"rank", part.rank},
                               {"device", part.device},
                               {"slab", part.slab},
                               {"views", toJson(IndexRanges(part.views))}});
    // Most ranks may take most slabs, so ranges keep this short.
    nlohmann::ordered_json spare = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < plan.spare.size(); ++i) {
        if (i > 0 && plan.spare[i] == plan.spare[i - 1] + 1)
            spare.back()[1] = plan.spare[i] + 1;
        else
            spare.push_back({plan.spare[i], plan.spare[i] + 1});
    }
    return {{"host", plan.host},
            {"engine", plan.engine},
            {"memoryBytes", plan.hostBytes},
            {"memoryAllowedBytes", plan.budgetBytes},
            {"assignments", assignments},
            {"devices", plan.devices},
            {"filterOn", placeWord(plan.filterOn)},
            {"spare", spare},
            {"forecast", toJson(plan.forecast)}};
}

RankPlan parseRankPlan(const nlohmann::json& value) {
    RankPlan plan;
    plan.host = value.at("host").get<std::string>();
    plan.engine = value.at("engine").get<std::string>();
    plan.hostBytes = value.at("memoryBytes").get<Index>();
    plan.budgetBytes = value.at("memoryAllowedBytes").get<Index>();
    for (const nlohmann::json& part : value.at("assignments"))
        plan.assignments.push_back({part.at("rank").get<int>(), part.at("device").get<Index>(),
                                    part.at("slab").get<Index>(),
                                    parseOneRange(part.at("views")).value()});
    plan.devices = value.at("devices").get<int>();
    plan.filterOn = parseFilterOn(value.at("filterOn")).value();
    for (const nlohmann::json& part : value.at("spare")) {
        const IndexRange slabs = parseOneRange(part).value();
        for (Index slab = slabs.begin; slab < slabs.end; ++slab)
            plan.spare.push_back(slab);
    }
    plan.forecast = parseForecast(value.at("forecast"), "a rank's plan");
    return plan;
}

}  // namespace gantry
