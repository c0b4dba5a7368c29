#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gantry {

/// The numbers of a text, separated by blanks or commas; the decimal mark is a point everywhere.
/// @throws InputError "where: ..." quoting what is not a finite number
/// Tests: tests/core/geometry/astra_vectors_test.cpp
[[nodiscard]] std::vector<double> parseNumbers(std::string_view text, const std::string& where);

/// The text up to the next line break, which is removed with it.
[[nodiscard]] std::string_view takeLine(std::string_view& text);

}  // namespace gantry
