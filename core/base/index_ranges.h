#pragma once

#include <vector>

#include "core/base/types.h"

namespace gantry {

/// What these ranges hold together, in one range or two: those that overlap or touch become one,
/// and of more than two that remain the nearest ones, with what lies between. Empty ones do not
/// count. Tests: tests/core/base/index_ranges_test.cpp
[[nodiscard]] IndexRanges unionOf(std::vector<IndexRange> ranges);

}  // namespace gantry
