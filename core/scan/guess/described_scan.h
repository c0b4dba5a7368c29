#pragma once

#include <filesystem>
#include <vector>

#include "core/describe/scan_description.h"
#include "core/scan/guess/guess_scan.h"

namespace gantry {

/// What a file that describes a scan says, and of the open beam's counts, where it lacks them, what
/// the images show: the brightest that they have, as for images without a description.
/// @throws InputError as readScanDescription(); what is wrong with the images is left to those who
///         open them
/// Tests: tests/cli/test_scanners.py
[[nodiscard]] ScanDescription describedWithImages(const std::filesystem::path& file,
                                                  const Answers& answers = {});

/// The scan of such a file, for commands that take a scan.json or another description.
/// @throws InputError also for the first error among its problems
[[nodiscard]] ScanFile describedScan(const std::filesystem::path& file,
                                     const Answers& answers = {});

/// What the maker's program reconstructed the scan with, by the description that it was read from;
/// none where there is no such file, or it is gone.
/// @throws InputError as readScanDescription()
[[nodiscard]] std::vector<MakersSetting> makersSettings(const ScanFile& scan);

/// What a description leaves unsure, as guesses that a person confirms: values that are not
/// certain, with their places, open questions, and warnings.
[[nodiscard]] std::vector<GuessedScan::Guess> guessesOf(const ScanDescription& description);

}  // namespace gantry
