#pragma once

#include <filesystem>

namespace gantry {

/// A new scan.json must be in the folder of the one that it is made from, because images are named
/// relative to it.
/// @throws InputError naming the option
/// Tests: tests/cli/test_align.py, tests/cli/test_calibrate.py, tests/cli/test_doctor.py
void requireBesideScan(const char* option, const std::filesystem::path& out,
                       const std::filesystem::path& scan);

}  // namespace gantry
