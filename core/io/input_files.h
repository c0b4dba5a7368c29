#pragma once

#include <filesystem>

#include "core/base/read_files.h"
#include "core/io/scan_file/scan_file.h"

namespace gantry {

/// Adds every file that a reconstruction of the scan reads: its scan.json, projections, dark and
/// flat fields, mask, lists of angles or poses, headers and data beside them, and the files in
/// which an HDF5 file has its images. What is missing or damaged is left to those who open the
/// scan. Tests: tests/core/io/input_files_test.cpp
void addScanFiles(ReadFiles& read, const ScanFile& scan);

/// Adds a volume's file, and the files beside it that belong to it; a folder as a whole.
void addVolumeFiles(ReadFiles& read, const std::filesystem::path& volume);

}  // namespace gantry
