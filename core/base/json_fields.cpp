#include "core/base/json_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/file.h"
#include "core/base/foreign_text.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"

namespace gantry {

using nlohmann::json;

namespace {

// At most `max` bytes of a text, cut between characters (UTF-8).
std::string shortened(std::string text, std::size_t max = 60) {
    if (text.size() <= max) return text;
    std::size_t length = max - 3;
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80)
        --length;
    return text.substr(0, length) + "...";
}

// A short form of a value for messages, on one line. Lists and objects are only counted: they may
// be millions of levels deep.
std::string shown(const json& value) {
    const auto structured = [](const json& item) { return item.is_structured(); };
    if (value.is_object()) return fmt::format("an object of {} fields", value.size());
    if (value.is_array() && (value.size() > 16 || std::ranges::any_of(value, structured)))
        return fmt::format("a list of {} values", value.size());
    return shortened(shownJson(value, -1));
}

// A field's name as spelt in a file, for messages.
std::string oneLine(const std::string& name) {
    const std::string quoted = shownJson(json(name), -1);
    return shortened(quoted.substr(1, quoted.size() - 2));
}

// Watches the parsing of a text, and refuses a field that occurs twice in an object: one of the
// values would be lost silently.
class RepeatedFields {
  public:
    explicit RepeatedFields(std::string_view where) : m_where(where) {}

    void see(json::parse_event_t event, const json& parsed) {
        if (event == json::parse_event_t::object_start) m_open.emplace_back();
        if (event == json::parse_event_t::object_end) m_open.pop_back();
        if (event != json::parse_event_t::key) return;
        Object& object = m_open.back();
        object.current = parsed.get<std::string>();
        if (object.fields.insert(object.current).second) return;
        std::string path;
        for (const Object& outer : m_open)
            path += (path.empty() ? "" : ".") + outer.current;
        throw InputError(
            fmt::format("{}: {} is there twice. Keep one of them.", m_where, oneLine(path)),
            {.code = ErrorCode::damagedFile, .field = path});
    }

  private:
    struct Object {
        std::set<std::string> fields;
        std::string current;
    };
    std::string_view m_where;
    std::vector<Object> m_open;  // the object being read, and those around it
};

}  // namespace

json readJsonFile(const std::filesystem::path& path) {
    return parseJson(readTextFile(path), path.string());
}

json parseJson(std::string_view text, std::string_view where) {
    try {
        RepeatedFields repeated(where);
        return json::parse(text, [&](int, json::parse_event_t event, const json& parsed) {
            repeated.see(event, parsed);
            return true;
        });
    } catch (const json::parse_error& error) {
        const std::string_view before =
            text.substr(0, std::min(text.size(), std::max<std::size_t>(error.byte, 1) - 1));
        const auto line = 1 + std::ranges::count(before, '\n');
        const auto column = before.size() - (before.rfind('\n') + 1) + 1;
        throw InputError(
            fmt::format("{} is not valid JSON: see line {}, column {}.", where, line, column),
            {.code = ErrorCode::damagedFile});
    } catch (const json::exception&) {
        throwError<InputError>("{} holds a number that is out of range.", where);
    }
}

JsonFields::JsonFields(const json& object, std::string where, std::string path)
    : m_object(&object), m_where(std::move(where)), m_path(std::move(path)) {
    if (!object.is_object())
        throw InputError(fmt::format("{}{} must be an object {{...}}, and is {}.", m_where,
                                     m_path.empty() ? "" : ": " + m_path, shown(object)),
                         {.field = m_path});
}

std::string JsonFields::fullName(std::string_view name) const {
    return m_path.empty() ? std::string(name) : fmt::format("{}.{}", m_path, name);
}

void JsonFields::fail(std::string_view name, std::string_view predicate) const {
    throw InputError(fmt::format("{}: {} {}.", m_where, fullName(name), predicate),
                     {.field = fullName(name)});
}

bool JsonFields::has(std::string_view name) const {
    return m_object->contains(name);
}

void JsonFields::know(std::string_view name) {
    if (std::ranges::find(m_known, name) == m_known.end()) m_known.emplace_back(name);
}

const json& JsonFields::raw(std::string_view name) {
    know(name);
    const auto found = m_object->find(name);
    if (found == m_object->end()) fail(name, "is missing");
    return *found;
}

double JsonFields::finite(const json& value, const std::string& name) const {
    if (!value.is_number()) fail(name, "must be a number, and is {}", shown(value));
    const auto number = value.get<double>();
    if (!std::isfinite(number)) fail(name, "is not a finite number");
    return number;
}

Index JsonFields::whole(const json& value, const std::string& name) const {
    const double number = finite(value, name);
    if (number != std::floor(number) || std::abs(number) > 9e15)
        fail(name, "must be a whole number, and is {}", shown(value));
    return static_cast<Index>(number);
}

const json& JsonFields::list(std::string_view name, std::size_t length) {
    const json& value = raw(name);
    if (!value.is_array() || (length > 0 && value.size() != length))
        fail(name, "must be a list of {}, and is {}",
             length > 0 ? fmt::format("{} values", length) : "values", shown(value));
    return value;
}

double JsonFields::number(std::string_view name) {
    return finite(raw(name), std::string(name));
}

double JsonFields::number(std::string_view name, double fallback) {
    know(name);
    return has(name) ? number(name) : fallback;
}

Index JsonFields::integer(std::string_view name) {
    return whole(raw(name), std::string(name));
}

Index JsonFields::integer(std::string_view name, Index fallback) {
    know(name);
    return has(name) ? integer(name) : fallback;
}

bool JsonFields::boolean(std::string_view name, bool fallback) {
    know(name);
    if (!has(name)) return fallback;
    const json& value = raw(name);
    if (!value.is_boolean()) fail(name, "must be true or false, and is {}", shown(value));
    return value.get<bool>();
}

std::string JsonFields::text(std::string_view name) {
    const json& value = raw(name);
    if (!value.is_string()) fail(name, "must be a text in quotes, and is {}", shown(value));
    return bytesOfUtf8(value.get<std::string>());
}

std::string JsonFields::text(std::string_view name, std::string_view fallback) {
    know(name);
    return has(name) ? text(name) : std::string(fallback);
}

std::string JsonFields::choice(std::string_view name, const std::vector<std::string>& allowed,
                               std::string_view fallback) {
    know(name);
    if (!has(name) && !fallback.empty()) return std::string(fallback);
    std::string value = text(name);
    if (std::ranges::find(allowed, value) == allowed.end())
        fail(name, "is {}; it must be {}", shown(json(value)), listed(allowed, "or"));
    return value;
}

namespace {

template <class T, std::size_t N, class Read>
std::array<T, N> readArray(const json& value, std::string_view name, const Read& read) {
    std::array<T, N> result{};
    for (std::size_t i = 0; i < N; ++i)
        result[i] = read(value[i], fmt::format("{}[{}]", name, i));
    return result;
}

}  // namespace

std::array<double, 2> JsonFields::numbers2(std::string_view name) {
    return readArray<double, 2>(list(name, 2), name,
                                [&](const json& v, const std::string& n) { return finite(v, n); });
}

std::array<double, 2> JsonFields::numbers2(std::string_view name, std::array<double, 2> fallback) {
    know(name);
    return has(name) ? numbers2(name) : fallback;
}

std::array<double, 3> JsonFields::numbers3(std::string_view name) {
    return readArray<double, 3>(list(name, 3), name,
                                [&](const json& v, const std::string& n) { return finite(v, n); });
}

std::array<double, 3> JsonFields::numbers3(std::string_view name, std::array<double, 3> fallback) {
    know(name);
    return has(name) ? numbers3(name) : fallback;
}

std::array<Index, 3> JsonFields::integers3(std::string_view name) {
    return readArray<Index, 3>(list(name, 3), name,
                               [&](const json& v, const std::string& n) { return whole(v, n); });
}

std::vector<double> JsonFields::numbers(std::string_view name) {
    std::vector<double> result;
    for (const json& value : list(name, 0))
        result.push_back(finite(value, fmt::format("{}[{}]", name, result.size())));
    return result;
}

std::vector<std::string> JsonFields::texts(std::string_view name) {
    std::vector<std::string> result;
    for (const json& value : list(name, 0)) {
        if (!value.is_string())
            fail(fmt::format("{}[{}]", name, result.size()),
                 fmt::format("must be a text in quotes, and is {}", shown(value)));
        result.push_back(bytesOfUtf8(value.get<std::string>()));
    }
    return result;
}

JsonFields JsonFields::object(std::string_view name) {
    return {raw(name), m_where, fullName(name)};
}

void JsonFields::finish() const {
    for (const auto& item : m_object->items())
        if (std::ranges::find(m_known, item.key()) == m_known.end())
            fail(oneLine(item.key()), "is an unknown field. Known here are {}",
                 fmt::join(m_known, ", "));
}

}  // namespace gantry
