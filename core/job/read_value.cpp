#include "core/job/read_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <span>

#include "core/base/throw_error.h"

namespace gantry {

namespace {

[[noreturn]] void refuse(std::string_view name, std::string_view text, std::string_view allowed) {
    throwError<InputError>("{} is '{}'; it must be {}.", name, text, allowed);
}

template <class T>
bool parse(std::string_view text, T& value) {
    if (text.size() > 1 && text.front() == '+') text.remove_prefix(1);
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || rest != text.data() + text.size()) return false;
    if constexpr (std::is_same_v<T, double>) return std::isfinite(value);
    return true;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

template <class T>
bool parseParts(const std::vector<std::string_view>& parts, std::span<T> values) {
    if (parts.size() != values.size()) return false;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!parse(parts[i], values[i])) return false;
    return true;
}

template <class T, std::size_t N>
bool parseAll(std::string_view text, char separator, std::array<T, N>& values) {
    return parseParts(split(text, separator), std::span<T>(values));
}

template <class T>
bool parseList(std::string_view text, std::vector<T>& values) {
    const std::vector<std::string_view> parts = split(text, ',');
    values.resize(parts.size());
    return parseParts(parts, std::span<T>(values));
}

}  // namespace

void readValue(const std::string& text, std::string_view name, double& value) {
    if (!parse(text, value)) refuse(name, text, "a number");
}

void readValue(const std::string& text, std::string_view name, Index& value) {
    if (!parse(text, value)) refuse(name, text, "a whole number");
}

void readValue(const std::string& text, std::string_view name, int& value) {
    if (!parse(text, value)) refuse(name, text, "a whole number");
}

void readValue(const std::string& text, std::string_view name, std::uint64_t& value) {
    if (!parse(text, value)) refuse(name, text, "a whole number, 0 or more");
}

void readValue(const std::string& text, std::string_view name, std::string& value) {
    if (text.empty()) throwError<InputError>("{} is empty; give it a value.", name);
    value = text;
}

void readValue(const std::string& text, std::string_view name, std::filesystem::path& value) {
    if (text.empty()) throwError<InputError>("{} is empty; name a file or folder.", name);
    value = text;
}

void readValue(const std::string& text, std::string_view name, std::array<double, 2>& value) {
    if (!parseAll(text, ',', value)) refuse(name, text, "two numbers with a comma between");
}

void readValue(const std::string& text, std::string_view name, std::array<double, 3>& value) {
    if (!parseAll(text, ',', value)) refuse(name, text, "three numbers with commas between");
}

void readValue(const std::string& text, std::string_view name, std::vector<double>& value) {
    if (!parseList(text, value)) refuse(name, text, "numbers with commas between");
}

void readValue(const std::string& text, std::string_view name, std::vector<int>& value) {
    if (!parseList(text, value)) refuse(name, text, "whole numbers with commas between");
}

void readValue(const std::string& text, std::string_view name, std::array<Index, 2>& value) {
    if (!parseAll(text, 'x', value))
        refuse(name, text, "columns and rows with an x between, such as 256x256");
}

std::string shownValue(double value) {
    return fmt::format("{}", value);
}
std::string shownValue(Index value) {
    return fmt::format("{}", value);
}
std::string shownValue(int value) {
    return fmt::format("{}", value);
}
std::string shownValue(std::uint64_t value) {
    return fmt::format("{}", value);
}
std::string shownValue(const std::string& value) {
    return value;
}
std::string shownValue(const std::filesystem::path& value) {
    return value.string();
}
std::string shownValue(const std::array<double, 2>& value) {
    return fmt::format("{},{}", value[0], value[1]);
}
std::string shownValue(const std::array<double, 3>& value) {
    return fmt::format("{},{},{}", value[0], value[1], value[2]);
}
std::string shownValue(const std::array<Index, 2>& value) {
    return fmt::format("{}x{}", value[0], value[1]);
}
std::string shownValue(const std::vector<double>& value) {
    return fmt::format("{}", fmt::join(value, ","));
}
std::string shownValue(const std::vector<int>& value) {
    return fmt::format("{}", fmt::join(value, ","));
}

std::array<Index, 3> readVoxels(const std::string& text, std::string_view name) {
    std::array<Index, 3> voxels{};
    if (parseAll(text, 'x', voxels)) return voxels;
    Index all = 0;
    if (!parse(std::string_view(text), all))
        refuse(name, text, "a number of voxels, such as 512 or 512x512x300");
    return {all, all, all};
}

std::array<std::array<double, 3>, 2> readLine(const std::string& text, std::string_view name) {
    std::array<std::array<double, 3>, 2> ends{};
    const std::vector<std::string_view> parts = split(text, ':');
    if (parts.size() != 2 || !parseAll(parts[0], ',', ends[0]) || !parseAll(parts[1], ',', ends[1]))
        refuse(name, text, "a line x0,y0,z0:x1,y1,z1 in mm");
    return ends;
}

}  // namespace gantry
