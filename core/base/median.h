#pragma once

#include <algorithm>
#include <vector>

namespace gantry {

/// The value in the middle; of an even number the upper one. values: at least one
/// Tests: tests/core/calibrate/find_balls_test.cpp
template <class T = double>
[[nodiscard]] T medianOf(std::vector<T> values) {
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace gantry
