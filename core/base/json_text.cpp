#include "core/base/json_text.h"

#include <nlohmann/json.hpp>

namespace gantry {

using nlohmann::json;
using nlohmann::ordered_json;

std::string jsonText(const json& value, int indent) {
    return value.dump(indent);
}

std::string jsonText(const ordered_json& value, int indent) {
    return value.dump(indent);
}

std::string shownJson(const json& value, int indent) {
    return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

std::string shownJson(const ordered_json& value, int indent) {
    return value.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

json ownJson(std::string_view text) {
    return json::parse(text, nullptr, false);
}

ordered_json ownOrderedJson(std::string_view text) {
    return ordered_json::parse(text, nullptr, false);
}

}  // namespace gantry
