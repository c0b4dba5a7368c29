#pragma once

#include <filesystem>

#include "core/base/types.h"

namespace gantry {

// Content of an unfinished pyramid besides its levels.
inline constexpr const char* kScratchName = ".scratch";
inline constexpr const char* kRecordName = "record";  ///< how far it is

/// The size of all files below a folder.
[[nodiscard]] Index bytesBelow(const std::filesystem::path& folder);

/// Whether a folder contains only a Zarr image, which a new one may replace.
/// @throws InputError when it cannot be read
[[nodiscard]] bool holdsOnlyZarr(const std::filesystem::path& folder);

/// Removes the content of a pyramid's folder, which must contain nothing else. The files that mark
/// it as complete, or record how far it is, go first.
void emptyPyramid(const std::filesystem::path& folder);
/// Removes files that a killed process left unfinished beside chunks in this folder, but not in its
/// subfolders.
void removeUnfinishedFiles(const std::filesystem::path& folder);
/// Removes the folder and its content, if it is only a pyramid.
void removePyramid(const std::filesystem::path& folder) noexcept;

/// The name of an older pyramid while a new one, of that temporary name, takes its place.
[[nodiscard]] std::filesystem::path oldPyramidName(const std::filesystem::path& part);
/// Gives a pyramid its final name, in place of an older one. If the process is killed meanwhile,
/// the older or the newer one is left, or only the newer one under its temporary name.
/// @throws InputError if something else than a pyramid has that name
void replacePyramid(const std::filesystem::path& part, const std::filesystem::path& folder);

}  // namespace gantry
