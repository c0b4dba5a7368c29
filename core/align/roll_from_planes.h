#pragma once

#include <stop_token>

#include "core/align/finding.h"
#include "core/scan/stack/view_stack.h"

namespace gantry {

/// The roll from planes through two sources each, see PlaneIntegrals: of objects that no view cuts
/// off at the left or right. The centre is sought with it, as they depend on each other; rays know
/// it better.
/// stack: whole views
/// about: where to begin; only the roll is given back
/// @throws Cancelled, ResourceError
/// Tests: tests/core/align/find_alignment_test.cpp
[[nodiscard]] Finding rollFromPlanes(const ViewStack& stack, const MatricesAt& matricesAt,
                                     const Misalignment& about, int threads,
                                     const std::stop_token& stop);
/// How far to either side it is sought.
inline constexpr double kRollRangeDeg = 3;

}  // namespace gantry
