#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/scan/guess/guess_scan.h"
#include "ui/workspace/scan/request.h"

namespace gantry {

/// What an opened path turned out to be.
struct FoundScan {
    Request request;
    std::vector<GuessedScan::Guess> guesses;  ///< none if there is a scan.json
    std::filesystem::path images;             ///< to be inspected: its scan.json, or bare images
    std::string settingsProblem = {};  ///< why kept settings were not applied; empty: they were
};

/// Finds the scan at a path: a scan.json, a folder with one (or with a single other scan's file),
/// an image or a folder of images that a scan.json nearby describes, or otherwise a folder of
/// images or an image file, for which a scan is guessed. A single image stands for its whole
/// series. A described scan gets the settings that are kept for it (settings_file.h). Reads only
/// what that needs: statistics of the images come later. For a background thread.
/// @throws InputError naming the path when it is no scan
/// Tests: tests/ui/workspace/found_scan_test.cpp
[[nodiscard]] FoundScan findScan(const std::filesystem::path& path);

}  // namespace gantry
