#include "core/job/index_ranges_json.h"

#include <nlohmann/json.hpp>

namespace gantry {

namespace {

std::optional<IndexRange> parseRange(const nlohmann::json& value) {
    if (!value.is_array() || value.size() != 2) return std::nullopt;
    if (!value[0].is_number_integer() || !value[1].is_number_integer()) return std::nullopt;
    const IndexRange range = {value[0].get<Index>(), value[1].get<Index>()};
    return range.empty() ? std::nullopt : std::optional(range);
}

}  // namespace

nlohmann::ordered_json toJson(const IndexRanges& ranges) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const IndexRange& part : ranges.parts())
        list.push_back({part.begin, part.end});
    return list.size() == 1 ? list[0] : list;
}

std::optional<IndexRanges> parseIndexRanges(const nlohmann::json& value) {
    if (const std::optional<IndexRange> only = parseRange(value)) return IndexRanges(*only);
    if (!value.is_array() || value.size() != 2) return std::nullopt;
    const std::optional<IndexRange> lower = parseRange(value[0]);
    const std::optional<IndexRange> upper = parseRange(value[1]);
    if (!lower || !upper || lower->end >= upper->begin) return std::nullopt;
    return IndexRanges(*lower, *upper);
}

}  // namespace gantry
