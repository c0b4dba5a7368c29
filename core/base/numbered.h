#pragma once

#include <string>
#include <string_view>

#include "core/base/types.h"

namespace gantry {

/// "row 3", "rows 3 to 5"; not of an empty range. what: "row"
/// Tests: tests/core/scan/dead_rows_test.cpp
[[nodiscard]] std::string numbered(std::string_view what, IndexRange range);

}  // namespace gantry
