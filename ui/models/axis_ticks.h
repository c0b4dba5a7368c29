#pragma once

#include <QString>
#include <vector>

namespace gantry {

/// Round numbers (1, 2 or 5 times a power of ten apart) within [low, high], at most `atMost`, and
/// at least one if there is any. Empty when the ends are not finite or high < low.
/// Tests: tests/ui/models/axis_ticks_test.cpp
[[nodiscard]] std::vector<double> niceTicks(double low, double high, int atMost);

/// A tick's number with only the digits that distinguish it from its neighbours: "0.02", not
/// "0.0200000"; "3×10⁷" if zeros would have to be counted.
[[nodiscard]] QString tickText(double tick, const std::vector<double>& ticks);

/// The largest of 1, 2 and 5 times a power of ten that is at most `max`, which is above 0; used for
/// the length of a scale bar.
[[nodiscard]] double niceAtMost(double max);

}  // namespace gantry
