#pragma once

#include <optional>
#include <vector>

#include "core/geometry/check/validate.h"
#include "core/geometry/scan_geometry.h"
#include "core/scan/inspect/picture_facts.h"

namespace gantry {

/// The shift, in samples, that makes b most like a, whatever their levels.
/// a, b: equally long
/// Tests: tests/core/scan/shift_check_test.cpp
[[nodiscard]] double shiftBetween(const std::vector<double>& a, const std::vector<double>& b);

/// A warning where the object, or the detector, moved at once by as little as 0.3 px: what it shows
/// along the columns stays where it is while it turns, and its centre along the rows moves as a
/// sine. Or where all of it moved, slowly or at once, so that the first and the last view of a
/// turn do not go on into each other. Not along the rows where the object passes the left or right
/// edge. facts: of views spread over the scan; contrast: contrastOf() them
/// Tests: tests/core/scan/shift_check_test.cpp, tests/core/scan/picture_checks_test.cpp
[[nodiscard]] std::optional<Problem> checkShifts(const ScanGeometry& geometry,
                                                 const std::vector<PictureFacts>& facts,
                                                 double contrast);

}  // namespace gantry
