#pragma once

#include <vector>

#include "core/base/types.h"
#include "core/geometry/check/validate.h"
#include "core/scan/inspect/raw_views.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// What stands against a scan's counts.
struct SaturationFound {
    std::vector<Problem> problems;
    /// Columns and rows between which pixels are at the largest count in every view, though not in
    /// the flat field; empty: there are none.
    IndexRange columns{0, 0};
    IndexRange rows{0, 0};
};

/// Looks for counts that stand at a largest value, in eight views as stored: below the one that is
/// known of the type or stated, in many pixels alike at the largest of 8, 10, 12, 14, 15 or 16
/// bits; and at any, in the same pixels of every view, though not of the flat field.
/// Tests: tests/core/scan/counts_checks_test.cpp
[[nodiscard]] SaturationFound checkSaturation(const OpenScan& scan, const RawViews& views);

}  // namespace gantry
