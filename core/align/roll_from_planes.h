#pragma once

#include <stop_token>

#include "core/align/finding.h"
#include "core/scan/stack/view_stack.h"

namespace gantry {

/// Finds the roll from planes through two sources each, see PlaneIntegrals. No view may cut the
/// object off at the left or right. The centre is found with the roll, because each depends on the
/// other, but it is not returned: pairs of opposite rays tell it more exactly.
/// stack: whole views
/// about: where to begin; only the roll is given back
/// @throws Cancelled, ResourceError
/// Tests: tests/core/align/find_alignment_test.cpp
[[nodiscard]] Finding rollFromPlanes(const ViewStack& stack, const MatricesAt& matricesAt,
                                     const Misalignment& about, int threads,
                                     const std::stop_token& stop);
/// The search covers this much to either side of where it begins.
inline constexpr double kRollRangeDeg = 3;

}  // namespace gantry
