#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/types.h"

namespace gantry {

/// Describes a text file of named columns.
struct NumberColumns {
    const char* what = "";     ///< "poses"
    const char* counter = "";  ///< "view": what a line is, and the optional column that counts them
    Index countedFrom = 0;
    std::span<const std::string_view> names;  ///< all of which are needed
    Index maxLines = 1'000'000;
};

/// Reads a line of column names, in any order, and a line of numbers for each `counter`, separated
/// by commas. Blank lines and lines that begin with # are skipped.
/// takeLine: gets the numbers in the order of `names`; returns what is wrong with them, as the
/// predicate of a sentence, or nothing
/// @throws InputError naming the file, the line and the column: one that is unknown, missing or
///         named twice; a line with another number of values; a value that is no finite number;
///         what takeLine returns; too many lines, or none
/// Tests: tests/core/io/pose_file_test.cpp, tests/core/calibrate/ball_file_test.cpp
void readNumberColumns(const std::filesystem::path& path, const NumberColumns& columns,
                       const std::function<std::string(std::span<const double>)>& takeLine);

}  // namespace gantry
