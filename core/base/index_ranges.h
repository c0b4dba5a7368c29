#pragma once

#include <vector>

#include "core/base/types.h"

namespace gantry {

/// The union of these ranges, in one range or two: those that overlap or touch become one, and if
/// more than two remain, the nearest ones are joined with what lies between. Empty ones do not
/// count.
/// Tests: tests/core/base/index_ranges_test.cpp
[[nodiscard]] IndexRanges unionOf(std::vector<IndexRange> ranges);

}  // namespace gantry
