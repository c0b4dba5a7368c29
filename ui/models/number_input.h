#pragma once

#include <QString>
#include <limits>
#include <optional>
#include <vector>

namespace gantry {

/// The range of a field; it may decide which of two interpretations of "1,000" is meant.
struct NumberLimits {
    bool isWhole = false;
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
};

/// All numbers that a text may mean, in `unit`: none, one, or two if a comma or a point stands
/// before exactly three final digits, "1,000" or "12.500": first with thousands, then with
/// decimals. Unambiguous: "600", "600,5", "0.125" (a zero begins no thousands), "1,500.25", "1
/// 200", "1,234,567", "−3e-2". A typed unit is converted into `unit` where that makes sense: "60
/// cm" is 600 in a field of mm. The language of the system does not matter. limits: of the field,
/// in `unit`. Whole numbers have no decimals; a field with values below 1000 only has no thousands.
/// Tests: tests/ui/models/number_input_test.cpp
[[nodiscard]] std::vector<double> numberInterpretations(const QString& text, const QString& unit,
                                                        const NumberLimits& limits = {});

/// The number that a user means. Empty: no number, not of that unit, or ambiguous.
/// Tests: tests/ui/models/number_input_test.cpp
[[nodiscard]] std::optional<double> parseNumber(const QString& text, const QString& unit,
                                                const NumberLimits& limits = {});

/// Whether more typing may make it a number: "", "-", "1e".
[[nodiscard]] bool isBeginningOfNumber(const QString& text);

}  // namespace gantry
