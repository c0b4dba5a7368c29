#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/io/projection_format.h"

namespace gantry {

/// Files that match a pattern: a folder (all its files with a format's extension), a file, or a
/// path whose last part has * and ?; in natural order ("view2" before "view10", see
/// sortNaturally()). Relative patterns start at `base`. Hidden files are left out unless the
/// pattern begins with a dot. If file names differ in one number only, these numbers must follow
/// one another in equal steps.
/// @throws InputError naming the pattern when nothing matches, the folder that stands where a file
///         is needed, or the number that is missing or there twice
/// Tests: tests/core/io/match_files_test.cpp
[[nodiscard]] std::vector<std::filesystem::path> matchFiles(
    const std::filesystem::path& base, const std::string& pattern,
    const ProjectionFormats& formats = projectionFormats());

/// Whether matchFiles() would find a file of this name, if it were there, among others by a pattern
/// with wildcards or in a folder.
/// Tests: tests/core/io/match_files_test.cpp
[[nodiscard]] bool wouldMatch(const std::filesystem::path& base, const std::string& pattern,
                              const std::filesystem::path& file,
                              const ProjectionFormats& formats = projectionFormats());

/// What matchFiles() finds, for the views of a scan: a file that is missing within a sequence keeps
/// its place, under the name that it would have. Files missing before the first or behind the last
/// number cannot be known.
/// @throws InputError as matchFiles(), but for a missing number only if as many are missing as
/// there
///         are files
/// Tests: tests/core/io/match_files_test.cpp
[[nodiscard]] std::vector<std::filesystem::path> matchViews(
    const std::filesystem::path& base, const std::string& pattern,
    const ProjectionFormats& formats = projectionFormats());

}  // namespace gantry
