#pragma once

#include <filesystem>
#include <vector>

#include "core/scan/guess/guess_scan.h"

namespace gantry {

/// The scan at a path: as it is described, or guessed from bare images.
struct ScanAtPath {
    ScanFile scan;
    std::vector<GuessedScan::Guess> guesses;  ///< none if it is described
    bool isDescribed = false;
    std::filesystem::path images;  ///< to be inspected: its scan.json, or bare images
};

/// Finds the scan at a path: a scan.json, a folder with one (or with a single other scan's file),
/// an image or a folder of images that a scan.json nearby describes, or otherwise a folder of
/// images or an image file, for which a scan is guessed. A single image stands for its whole
/// series. Reads only what that needs.
/// @throws InputError naming the path when it is no scan
/// Tests: tests/ui/workspace/found_scan_test.cpp, tests/cli/test_bare_scan.py
[[nodiscard]] ScanAtPath scanAt(const std::filesystem::path& path);

}  // namespace gantry
