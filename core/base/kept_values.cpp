#include "core/base/kept_values.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/json_text.h"

namespace gantry {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxValues = 500;

// The list in the file; empty if it is not such a file.
json readValues(const std::filesystem::path& file, const std::string& kind,
                const std::string& list) {
    if (file.empty()) return json::array();
    try {
        const json content = parseJson(readTextFile(file), file.string());
        if (content.is_object() && content.value(kind, 0) == 1 && content.contains(list) &&
            content[list].is_array())
            return content[list];
    } catch (const Error&) {
    } catch (const json::exception&) {
    }
    return json::array();
}

bool isOf(const json& kept, const json& key) {
    return kept.is_object() && std::ranges::all_of(key.items(), [&](const auto& field) {
               return kept.contains(field.key()) && kept[field.key()] == field.value();
           });
}

}  // namespace

KeptValues::KeptValues(std::filesystem::path file, std::string kind, std::string list)
    : m_file(std::move(file)), m_kind(std::move(kind)), m_list(std::move(list)) {}

std::optional<json> KeptValues::find(const json& key) const {
    std::vector<json> found = findAll(key);
    return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

std::optional<double> KeptValues::findPositive(const json& key, const char* name) const {
    const std::optional<json> found = find(key);
    const double value = found ? positiveOf(*found, name) : 0;
    return value > 0 ? std::optional(value) : std::nullopt;
}

std::vector<json> KeptValues::findAll(const json& fields) const {
    std::vector<json> found;
    for (const json& kept : readValues(m_file, m_kind, m_list))
        if (isOf(kept, fields)) found.push_back(kept);
    return found;
}

void KeptValues::keep(const json& key, const json& value) const noexcept {
    if (m_file.empty()) return;
    try {
        json kept = key;
        kept.update(value);
        json values = json::array();
        values.push_back(std::move(kept));
        for (const json& other : readValues(m_file, m_kind, m_list))
            if (!isOf(other, key) && values.size() < kMaxValues) values.push_back(other);
        std::error_code ignored;
        std::filesystem::create_directories(m_file.parent_path(), ignored);
        const json content = {{m_kind, 1}, {m_list, std::move(values)}};
        writeFileAtomically(m_file, jsonText(content, 1) + "\n");
    } catch (...) {
        // It is not an error: the next run will find the value again.
    }
}

double positiveOf(const json& kept, const char* name) {
    const auto value = kept.find(name);
    return value != kept.end() && value->is_number() ? std::max(0.0, value->get<double>()) : 0;
}

}  // namespace gantry
