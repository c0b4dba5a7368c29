#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/describe/scan_description.h"
#include "core/scan/guess/guess_scan.h"

namespace gantry {

/// The scan at a path: as it is described, or guessed from bare images.
struct ScanAtPath {
    ScanFile scan;
    std::vector<GuessedScan::Guess> guesses;  ///< none if it is described
    bool isDescribed = false;                 ///< by a scan.json
    std::filesystem::path images;             ///< to be inspected: its description, or bare images
    /// What the maker of the scanner or another program describes it by, other than a scan.json.
    std::optional<ScanDescription> description = std::nullopt;
};

/// Finds the scan at a path: a scan.json or another file of descriptionFormats(), a folder with
/// one (or with a single other scan's file; a scan.json comes first), an image or a folder of
/// images that a description nearby speaks of, or otherwise a folder of images or an image file,
/// for which a scan is guessed. A single image stands for its whole
/// series. Reads only what that needs. entry: OpenOptions::entry, in place of the one that a
/// scan.json names
/// @throws InputError naming the path when it is no scan, its description cannot be used, or there
///         are two of a maker
/// Tests: tests/ui/workspace/found_scan_test.cpp, tests/cli/test_bare_scan.py
[[nodiscard]] ScanAtPath scanAt(const std::filesystem::path& path, const std::string& entry = {});

}  // namespace gantry
