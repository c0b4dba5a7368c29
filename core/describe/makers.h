#pragma once

#include "core/describe/description_format.h"

namespace gantry {

// Formats of scanners' makers, each in a file of its name. What is known of them, and how certain
// it is, stands in resources/help/scanners.md.

/// .xtekct, with _ctdata.txt or .ang and .ctprofile.xml beside it.
/// Tests: tests/core/describe/nikon_test.cpp
[[nodiscard]] DescriptionFormat nikonDescriptions();

}  // namespace gantry
