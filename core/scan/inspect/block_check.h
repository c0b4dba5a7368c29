#pragma once

#include <vector>

#include "core/base/types.h"
#include "core/geometry/check/validate.h"
#include "core/scan/inspect/picture_facts.h"

namespace gantry {

/// Warnings where the detector has blocks that step against each other: along all of a column or
/// row, or at a corner where four of them meet. withoutColumns, withoutRows: at whose edges nothing
/// is told
/// Tests: tests/core/scan/picture_checks_test.cpp
[[nodiscard]] std::vector<Problem> checkBlocks(const std::vector<PictureFacts>& facts,
                                               double contrast, IndexRange withoutColumns,
                                               IndexRange withoutRows);

}  // namespace gantry
