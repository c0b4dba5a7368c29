#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "core/base/types.h"

namespace gantry {

/// [begin, end], and of two ranges [[begin, end], [begin, end]].
[[nodiscard]] nlohmann::ordered_json toJson(const IndexRanges& ranges);

/// Nothing where the value is none of the two, or a range is empty or not below the next.
/// Tests: tests/core/job/index_ranges_json_test.cpp
[[nodiscard]] std::optional<IndexRanges> parseIndexRanges(const nlohmann::json& value);

}  // namespace gantry
