#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/io/series/number_forms.h"

namespace gantry {

/// The run of hexadecimal digits, by how many are before it in the name, that alone differs and
/// counts nearly without a gap in names that do not differ in decimal digits alone.
/// Tests: tests/core/io/file_order_test.cpp
[[nodiscard]] std::optional<std::size_t> hexadecimalRun(const std::vector<std::string>& names);

/// The name with this run as its only number.
[[nodiscard]] NumberedName takeHexadecimalApart(const std::string& name, std::size_t run);

/// Whether the names differ in long hexadecimal numbers that count nothing, as checksums do.
/// Tests: tests/core/io/file_order_test.cpp
[[nodiscard]] bool areChecksums(const std::vector<std::string>& names);

}  // namespace gantry
