#pragma once

#include <vector>

#include "core/geometry/check/validate.h"
#include "core/io/scan_file/scan_file.h"

namespace gantry {

/// Problems with the order in which the names of the projections' files put the views: names that
/// sort sensibly in two ways; names with a number each that is an angle of the trajectory, but of
/// another view's; names that state other angles ("12.5deg") than the trajectory has; names with a
/// further number that counts the files in another order. Empty where
/// files cannot be listed, are not one a view, or the views have poses.
/// Tests: tests/core/scan/name_order_test.cpp
[[nodiscard]] std::vector<Problem> contradictedByNames(const ScanFile& scan);

}  // namespace gantry
