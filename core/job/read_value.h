#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"

namespace gantry {

// Parsing values of options. `name` is the option's, for messages; each function throws an
// InputError that names it, the text found and what is allowed.

void readValue(const std::string& text, std::string_view name, double& value);
void readValue(const std::string& text, std::string_view name, Index& value);
void readValue(const std::string& text, std::string_view name, int& value);
void readValue(const std::string& text, std::string_view name, std::uint64_t& value);
void readValue(const std::string& text, std::string_view name, std::string& value);
void readValue(const std::string& text, std::string_view name, std::filesystem::path& value);
/// "u,v", "x,y,z": numbers separated by commas.
void readValue(const std::string& text, std::string_view name, std::array<double, 2>& value);
void readValue(const std::string& text, std::string_view name, std::array<double, 3>& value);
/// "0,1,4": one number or more.
void readValue(const std::string& text, std::string_view name, std::vector<double>& value);
void readValue(const std::string& text, std::string_view name, std::vector<int>& value);
/// "256x256": whole numbers separated by x.
void readValue(const std::string& text, std::string_view name, std::array<Index, 2>& value);

template <class T>
void readValue(const std::string& text, std::string_view name, std::optional<T>& value) {
    T read{};
    readValue(text, name, read);
    value = read;
}

/// The form of a default in the help; empty if there is none.
[[nodiscard]] std::string shownValue(double value);
[[nodiscard]] std::string shownValue(Index value);
[[nodiscard]] std::string shownValue(int value);
[[nodiscard]] std::string shownValue(std::uint64_t value);
[[nodiscard]] std::string shownValue(const std::string& value);
[[nodiscard]] std::string shownValue(const std::filesystem::path& value);
[[nodiscard]] std::string shownValue(const std::array<double, 2>& value);
[[nodiscard]] std::string shownValue(const std::array<double, 3>& value);
[[nodiscard]] std::string shownValue(const std::array<Index, 2>& value);
[[nodiscard]] std::string shownValue(const std::vector<double>& value);
[[nodiscard]] std::string shownValue(const std::vector<int>& value);

template <class T>
[[nodiscard]] std::string shownValue(const std::optional<T>& value) {
    return value ? shownValue(*value) : std::string();
}

/// "512" (all three 512) or "512x512x300".
[[nodiscard]] std::array<Index, 3> readVoxels(const std::string& text, std::string_view name);
/// "x0,y0,z0:x1,y1,z1"
[[nodiscard]] std::array<std::array<double, 3>, 2> readLine(const std::string& text,
                                                            std::string_view name);

}  // namespace gantry
