#pragma once

#include <optional>
#include <vector>

#include "core/base/types.h"
#include "core/geometry/check/validate.h"
#include "core/scan/inspect/picture_facts.h"
#include "core/scan/inspect/raw_views.h"

namespace gantry {

/// Whole columns or rows, or a rectangle, that have one and the same value in every view.
struct StillPixels {
    IndexRange columns{0, 0};  ///< empty: there are none
    IndexRange rows{0, 0};
    Problem problem;
};

/// Looks for pixels that are dead in the views, between others that show the object: one value in
/// all views, in columns, up to three rows or a rectangle of 16 pixels or more. Dead pixels that
/// are known do not count. facts: of views spread over the scan Tests:
/// tests/core/scan/counts_checks_test.cpp
[[nodiscard]] std::optional<StillPixels> checkStill(const OpenScan& scan, const RawViews& views,
                                                    const std::vector<PictureFacts>& facts);

}  // namespace gantry
