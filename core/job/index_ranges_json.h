#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "core/base/types.h"

namespace gantry {

/// [begin, end] for one range, [[begin, end], [begin, end]] for two.
[[nodiscard]] nlohmann::ordered_json toJson(const IndexRanges& ranges);

/// Nothing if the value has neither form, or if a range is empty or not below the next.
/// Tests: tests/core/job/index_ranges_json_test.cpp
[[nodiscard]] std::optional<IndexRanges> parseIndexRanges(const nlohmann::json& value);

}  // namespace gantry
