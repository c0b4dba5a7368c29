#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

/// A file name taken apart at its numbers: "view_007.tif" is {"view_", ".tif"} and {"007"}.
struct NumberedName {
    std::vector<std::string> texts;    ///< one more than numbers; those at the ends may be empty
    std::vector<std::string> numbers;  ///< digits, perhaps behind a minus and with a point
    std::vector<std::string> written;  ///< the same as they stand in the name
};

/// What else than runs of digits are numbers in the names of a series.
struct NumberForms {
    bool decimals = false;   ///< also "0.25", but not "1.2.3" or "1."
    bool signs = false;      ///< also "-90" and "+90"
    char point = '.';        ///< of decimals; in other series "0,25" or "0p25"
    bool exponents = false;  ///< also "2.5e+01"
    bool wordSigns = false;  ///< also "m90", "n90", "minus90", "neg90" and "p90", "plus90", "pos90"
    /// Only the run of hexadecimal digits that has so many others before it in the name.
    std::optional<std::size_t> hexadecimalRun = {};
};

[[nodiscard]] NumberedName takeApart(const std::string& name, NumberForms forms);

/// The numbers at one place in all names of a series.
using NumberColumn = std::vector<std::string>;

/// The columns of names that differ in their numbers alone; none if they differ in more.
[[nodiscard]] std::vector<NumberColumn> numberColumns(const std::vector<std::string>& names,
                                                      NumberForms forms);

/// The value of a NumberedName's number; none: it has too many digits.
[[nodiscard]] std::optional<double> valueOfNumber(std::string_view number);

/// Whether most neighbours in sorted values are equally far apart.
[[nodiscard]] bool hasEvenSteps(std::vector<double> values);

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
/// could be meant. A comma, or a p between digits, is a point where no name has one.
/// Tests: tests/core/io/file_order_test.cpp
[[nodiscard]] PointMeaning meaningOfPoints(const std::vector<std::string>& names);

/// The forms of the numbers by which the names of a series are sorted: decimals as
/// meaningOfPoints() finds, counters where it is ambiguous; exponents as programs print them, with
/// a sign; hexadecimal digits that count nearly without a gap; words for signs where the numbers
/// then go evenly through 0.
/// Tests: tests/core/io/file_order_test.cpp
[[nodiscard]] NumberForms formsOf(const std::vector<std::string>& names);

/// Whether the numbers have words that may be their signs, but do not go evenly through 0 with
/// them. Tests: tests/core/io/file_order_test.cpp
[[nodiscard]] bool mayHaveWordSigns(const std::vector<std::string>& names);

}  // namespace gantry
