#pragma once

#include <stop_token>
#include <vector>

#include "core/geometry/check/validate.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// Compares a scan's pictures with what its description claims, from about 50 of its views and some
/// rows of all: whether the values are of the stated kind, whether counts are saturated, whether
/// the object reaches the detector's edges, whether the air beside it is as bright as the flat
/// field and stays so, whether the object moved, whether views are copies of others, whether the
/// detector has blocks that step, and whether arc, sense of rotation and rotation axis are those
/// about which the object turns. Each problem is a warning: a sentence with numbers and what can be
/// done. scan: as stored, before corrected(), but for Corrections::measured()
/// @throws InputError, ResourceError, Cancelled
/// Tests: tests/core/scan/picture_checks_test.cpp, tests/core/scan/sinogram_checks_test.cpp,
///        tests/core/scan/counts_checks_test.cpp
[[nodiscard]] std::vector<Problem> checkPictures(const OpenScan& scan, int threads,
                                                 const std::stop_token& stop);

}  // namespace gantry
