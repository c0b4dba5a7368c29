#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gantry {

/// A file name taken apart at its numbers: "view_007.tif" is {"view_", ".tif"} and {"007"}.
struct NumberedName {
    std::vector<std::string> texts;  ///< one more than numbers; those at the ends may be empty
    std::vector<std::string> numbers;
};

/// What else than runs of digits are numbers in the names of a series.
struct NumberForms {
    bool decimals = false;  ///< also "0.25", but not "1.2.3" or "1."
    bool signs = false;     ///< also "-90" and "+90"
};

[[nodiscard]] NumberedName takeApart(const std::string& name, NumberForms forms);

/// Whether a minus before a number is its sign: the names of a series are otherwise alike, and some
/// have it where others have none or a plus. In "scan-001" to "scan-360" it is a mark between
/// words. Tests: tests/core/io/file_order_test.cpp
[[nodiscard]] bool haveSigns(const std::vector<std::string>& names);

/// How the digits behind points in the names of a series are to be understood.
enum class PointMeaning {
    none,       ///< there are none, or both meanings sort the names alike
    decimals,   ///< "0.25" is before "0.5"
    counters,   ///< as in versions: "1.9" is before "1.10"
    ambiguous,  ///< both sort the names sensibly, and differ
};

/// The meaning that all names of a series have in common. Decimals are printed without zeros at
/// their end, or all with the same number of digits; no two of them have the same value. Where
/// that would do, but the steps of counters are equal, too, and the decimals' are not, either
/// could be meant.
/// Tests: tests/core/io/file_order_test.cpp
[[nodiscard]] PointMeaning meaningOfPoints(const std::vector<std::string>& names);

/// The forms of the numbers by which the names of a series are sorted: decimals as
/// meaningOfPoints() finds, counters where it is ambiguous.
[[nodiscard]] NumberForms formsOf(const std::vector<std::string>& names);

/// Sorts files by their names as a person does: numbers by value, in the forms that formsOf()
/// finds.
/// Tests: tests/core/io/file_order_test.cpp
void sortNaturally(std::vector<std::filesystem::path>& files);

}  // namespace gantry
