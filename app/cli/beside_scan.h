#pragma once

#include <filesystem>
#include <vector>

#include "core/io/scan_file/scan_file.h"

namespace gantry {

/// Checks that a new scan.json, `out`, is in the folder of the one from which it is made, `scan`,
/// because both name their images relative to that folder.
/// @throws InputError naming the option if it is not
/// Tests: tests/cli/test_align.py, tests/cli/test_calibrate.py, tests/cli/test_doctor.py
void requireBesideScan(const char* option, const std::filesystem::path& out,
                       const std::filesystem::path& scan);

/// Checks that no output would replace a file of the scan or another file that is read. Empty names
/// are ignored.
/// others: the other files that are read
/// @throws InputError naming the output that would
/// Tests: tests/cli/test_outputs.py
void requireApartFromScan(const std::vector<std::filesystem::path>& outputs, const ScanFile& scan,
                          const std::vector<std::filesystem::path>& others = {});

}  // namespace gantry
