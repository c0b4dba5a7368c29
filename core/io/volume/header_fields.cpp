#include "core/io/volume/header_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/io/volume/calibration.h"

namespace gantry {

std::string shownField(std::string_view text) {
    std::string result(text.substr(0, 60));
    for (char& c : result)
        if (static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126) c = '?';
    if (text.size() > 60) result += "...";
    return "'" + result + "'";
}

void HeaderFields::fail(const std::string& sentence) const {
    throw InputError(m_path.string() + ": " + sentence + ".");
}

std::optional<std::string_view> HeaderFields::find(
    std::initializer_list<std::string_view> aliases) const {
    for (const std::string_view alias : aliases)
        if (const auto found = m_values.find(alias); found != m_values.end()) return found->second;
    return std::nullopt;
}

std::string_view HeaderFields::text(std::string_view key) const {
    const auto value = find({key});
    if (!value) fail(fmt::format("its header lacks {}", key));
    return *value;
}

bool HeaderFields::boolean(std::initializer_list<std::string_view> aliases, bool fallback) const {
    const auto value = find(aliases);
    if (!value) return fallback;
    const std::string word = inLowerCase(*value);
    if (word == "true" || word == "t" || word == "1") return true;
    if (word == "false" || word == "f" || word == "0") return false;
    fail(fmt::format("{} must be True or False, and is {}", *aliases.begin(), shownField(*value)));
}

std::vector<double> HeaderFields::numbers(std::string_view key, std::string_view value,
                                          std::size_t count) const {
    std::vector<double> result;
    const char* at = value.data();
    const char* const end = value.data() + value.size();
    while (true) {
        while (at < end && (*at == ' ' || *at == '\t'))
            ++at;
        if (at == end) break;
        double number = 0;
        const auto [next, code] = std::from_chars(at, end, number);
        const bool whole = next == end || *next == ' ' || *next == '\t';
        if (code != std::errc{} || !whole || !std::isfinite(number))
            fail(fmt::format("{} must be numbers, and is {}", key, shownField(value)));
        result.push_back(number);
        at = next;
    }
    if (result.size() != count)
        fail(fmt::format("{} must be {} numbers, and is {}", key, count, shownField(value)));
    return result;
}

double HeaderFields::number(std::initializer_list<std::string_view> aliases,
                            double fallback) const {
    const auto value = find(aliases);
    return value ? numbers(*aliases.begin(), *value, 1)[0] : fallback;
}

Index HeaderFields::integer(std::string_view key, std::string_view value) const {
    Index number = 0;
    const auto [next, code] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (code != std::errc{} || next != value.data() + value.size())
        fail(fmt::format("{} must be a whole number, and is {}", key, shownField(value)));
    return number;
}

Index HeaderFields::integer(std::string_view key, Index fallback) const {
    const auto value = find({key});
    return value ? integer(key, *value) : fallback;
}

std::array<Index, 3> HeaderFields::sizes(std::string_view key, std::size_t dimensions,
                                         Index voxelBytes) const {
    const std::string_view stated = text(key);
    const std::vector<double> values = numbers(key, stated, dimensions);
    std::array<Index, 3> size = {1, 1, 1};
    Index bytes = voxelBytes;
    for (std::size_t axis = 0; axis < dimensions; ++axis) {
        if (values[axis] != std::floor(values[axis]) || values[axis] < 1 ||
            values[axis] > 2147483647.0)
            fail(fmt::format("{} must be whole numbers from 1 to 2147483647, and is {}", key,
                             shownField(stated)));
        size[axis] = static_cast<Index>(values[axis]);
        if (__builtin_mul_overflow(bytes, size[axis], &bytes))
            fail(fmt::format("{} is {}, which is larger than any file", key, shownField(stated)));
    }
    return size;
}

ValueScale HeaderFields::scale(std::string_view key) const {
    const auto value = find({key});
    if (!value) return {};
    const std::optional<ValueScale> scale = scaleOf(*value);
    if (!scale)
        fail(fmt::format("{} must be 1/mm, or HU with two numbers, and is {}", key,
                         shownField(*value)));
    return *scale;
}

std::filesystem::path HeaderFields::fileBeside(std::string_view key, std::string_view name) const {
    if (name.empty()) fail(fmt::format("{} is empty; it must name a file", key));
    if (name.starts_with("LIST"))
        fail(fmt::format(
            "{} is a LIST of slice files, which is not supported; it must name one file", key));
    // Names may contain anything that a folder allows, but control characters are a mistake.
    if (std::ranges::any_of(name, [](char c) { return c >= 0 && c < 32; }))
        fail(fmt::format("{} is {}, which is not a file name", key, shownField(name)));
    auto file = m_path.parent_path() / std::filesystem::path(name);
    std::error_code ignored;
    const bool isFile = std::filesystem::is_regular_file(file, ignored);
    // "s%03d.raw 0 99 1": a file for each slice, from, to and step.
    if (!isFile && name.find('%') != std::string_view::npos)
        fail(fmt::format("{} is {}: patterns of file names are not read; it must name one file",
                         key, shownField(name)));
    if (!isFile)
        fail(fmt::format("{} names {}, which does not exist", key, shownField(file.string())));
    return file;
}

}  // namespace gantry
