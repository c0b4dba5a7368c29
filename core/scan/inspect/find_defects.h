#pragma once

#include <filesystem>
#include <stop_token>

#include "core/prep/pixel_defects.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// The defects that the mask, the dark and the flat frames of a scan tell. Single frames are read
/// for noise. scan: as opened
/// @throws InputError, Cancelled
/// Tests: tests/core/scan/find_defects_test.cpp
[[nodiscard]] DefectMap findDefects(const OpenScan& scan, const std::stop_token& stop);

/// Writes the map as a mask that projections.badPixels of the scan may name: a TIFF file with
/// 8-bit pixels, 0 for good ones and 255 for others, in the order of rows and columns of the scan's
/// own images. It is written under another name first.
/// @throws InputError, ResourceError
/// Tests: tests/core/scan/find_defects_test.cpp, tests/cli/test_modules.py
void writeDefects(const DefectMap& map, const ScanFile& scan, const std::filesystem::path& file);

}  // namespace gantry
