#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// Sorts files by their names as a person does: numbers by value, in the forms that formsOf()
/// finds. Numbers that are angles which pass 360 begin behind their gap: 270 … 358, 0 … 88.
/// Tests: tests/core/io/file_order_test.cpp
void sortNaturally(std::vector<std::filesystem::path>& files);

/// Where angles that pass 360 begin, in values sorted by size: behind the only place, of 90 or
/// more, at which they do not go on in equal steps, if they do from the last one to the first. 0:
/// they do not pass it.
[[nodiscard]] Index beginOfTurn(std::span<const double> sorted);

/// Why the order of a series is not sure, and what it is taken for; empty: it is sure. names: as
/// they were sorted
/// Tests: tests/core/io/file_order_test.cpp
[[nodiscard]] std::string doubtOfOrder(const std::vector<std::string>& names);

}  // namespace gantry
