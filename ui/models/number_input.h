#pragma once

#include <QString>
#include <optional>

namespace gantry {

/// The number that a user means: "600", "600,5", "1 200", "−3e-2", also with a unit, which is
/// converted into `unit` where that makes sense: "60 cm" is 600 in a field of mm.
/// The language of the system does not matter: comma and point are both taken as decimal sign, the
/// last one where both are there. Empty: no number, or not of that unit.
/// Tests: tests/ui/models/number_input_test.cpp
[[nodiscard]] std::optional<double> parseNumber(const QString& text, const QString& unit);

/// Whether more typing may yet make a number of it: "", "-", "1e".
[[nodiscard]] bool isBeginningOfNumber(const QString& text);

}  // namespace gantry
