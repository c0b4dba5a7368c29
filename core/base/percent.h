#pragma once

#include <string>

namespace gantry {

/// A share of 1 in percent with two digits, never with an exponent: "0.47 %", "47 %", "190 %";
/// "below 0.01 %" for what is smaller and not 0, "–" for a NaN.
/// Tests: tests/core/base/percent_test.cpp
[[nodiscard]] std::string formatPercent(double share);

}  // namespace gantry
