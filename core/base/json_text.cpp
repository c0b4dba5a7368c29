#include "core/base/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/foreign_text.h"

namespace gantry {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

template <class Json>
bool hasForeignBytes(const Json& value) {
    if (value.is_string()) return !isUtf8(value.template get_ref<const std::string&>());
    if (!value.is_structured()) return false;
    return std::ranges::any_of(value, [](const Json& item) { return hasForeignBytes(item); });
}

template <class Json>
void keepForeignBytes(Json& value) {
    if (value.is_string()) value = utf8OfBytes(value.template get_ref<const std::string&>());
    if (value.is_structured())
        for (Json& item : value)
            keepForeignBytes(item);
}

// Names of files may be no UTF-8, which JSON must be.
template <class Json>
std::string textOf(const Json& value, int indent) {
    if (!hasForeignBytes(value)) return value.dump(indent);
    Json kept = value;
    keepForeignBytes(kept);
    return kept.dump(indent);
}

// JSON allows control characters above ASCII's in texts, and terminals obey them.
std::string escaped(std::string text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const bool isPair =
            byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
        if (byte != 0x7F && !isPair) continue;
        const unsigned code = isPair ? static_cast<unsigned char>(text[i + 1]) : byte;
        text.replace(i, isPair ? 2 : 1, fmt::format("\\u{:04x}", code));
    }
    return text;
}

}  // namespace

std::string jsonText(const json& value, int indent) {
    return textOf(value, indent);
}

std::string jsonText(const ordered_json& value, int indent) {
    return textOf(value, indent);
}

std::string shownJson(const json& value, int indent) {
    return escaped(value.dump(indent, ' ', false, json::error_handler_t::replace));
}

std::string shownJson(const ordered_json& value, int indent) {
    return escaped(value.dump(indent, ' ', false, ordered_json::error_handler_t::replace));
}

json ownJson(std::string_view text) {
    return json::parse(text, nullptr, false);
}

ordered_json ownOrderedJson(std::string_view text) {
    return ordered_json::parse(text, nullptr, false);
}

}  // namespace gantry
