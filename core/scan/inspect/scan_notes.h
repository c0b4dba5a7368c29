#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/geometry/volume_grid.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// All that speaks against a scan as it is described, for plans, logs and reports, a sentence each:
/// from its images' own statements and names, what its pictures show (checkPictures()), and rows
/// and columns of the detector without a usable pixel. Pictures that cannot be read are told where
/// the run reads them. Missing rays are in RedundancyPlan::reason.
/// scan: as stored, before corrected() but for what is measured in the whole scan; volume: that is
/// wanted
/// @throws Cancelled
/// Tests: tests/core/scan/scan_notes_test.cpp
[[nodiscard]] std::vector<std::string> scanNotes(const OpenScan& scan, const VolumeGrid& volume,
                                                 int threads, const std::stop_token& stop);

}  // namespace gantry
