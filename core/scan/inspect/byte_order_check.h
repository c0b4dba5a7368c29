#pragma once

#include <optional>

#include "core/geometry/check/validate.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// A warning where neighbouring pixels differ by as much as any two, and by far less if the bytes
/// of each were exchanged. Reads some rows of the middle view.
/// @throws InputError
/// Tests: tests/core/scan/counts_checks_test.cpp
[[nodiscard]] std::optional<Problem> checkByteOrder(const OpenScan& scan);

}  // namespace gantry
