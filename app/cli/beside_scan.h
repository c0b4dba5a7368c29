#pragma once

#include <filesystem>
#include <vector>

#include "core/io/scan_file/scan_file.h"

namespace gantry {

/// A new scan.json must be in the folder of the one that it is made from, because images are named
/// relative to it.
/// @throws InputError naming the option
/// Tests: tests/cli/test_align.py, tests/cli/test_calibrate.py, tests/cli/test_doctor.py
void requireBesideScan(const char* option, const std::filesystem::path& out,
                       const std::filesystem::path& scan);

/// Checks that none of the outputs would replace a file of the scan, or one of the others that are
/// read. Empty names are left out.
/// @throws InputError naming the output
/// Tests: tests/cli/test_outputs.py
void requireApartFromScan(const std::vector<std::filesystem::path>& outputs, const ScanFile& scan,
                          const std::vector<std::filesystem::path>& others = {});

}  // namespace gantry
