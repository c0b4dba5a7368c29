#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "core/geometry/check/validate.h"
#include "core/scan/inspect/picture_facts.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// A warning where views have one and the same value from their upper or lower edge on, over an
/// eighth of their rows or more, where others show the object: they were written in part.
/// Every view is looked at where a row costs its own bytes alone.
/// chosen: numbers of the source's views that the facts are of, to look at elsewhere
/// @throws InputError, Cancelled
/// Tests: tests/core/scan/counts_checks_test.cpp, tests/cli/test_bad_views.py
[[nodiscard]] std::optional<Problem> checkPartialViews(const OpenScan& scan,
                                                       const std::vector<Index>& chosen,
                                                       const std::vector<PictureFacts>& facts,
                                                       const std::stop_token& stop);

}  // namespace gantry
