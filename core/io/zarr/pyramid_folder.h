#pragma once

#include <filesystem>

#include "core/base/types.h"

namespace gantry {

// What an unfinished pyramid holds beside its levels.
inline constexpr const char* kScratchName = ".scratch";
inline constexpr const char* kRecordName = "record";  ///< what of it is on disk

/// The size of all files below a folder.
[[nodiscard]] Index bytesBelow(const std::filesystem::path& folder);

/// Whether a folder holds nothing but a Zarr image: what a new one may replace.
/// @throws InputError when it cannot be read
[[nodiscard]] bool holdsOnlyZarr(const std::filesystem::path& folder);

/// Removes what a pyramid's folder holds; what says that it is complete, or how far it is, goes
/// first. It holds nothing else.
void emptyPyramid(const std::filesystem::path& folder);
/// Removes what a killed process was writing in a folder beside chunks, if that is there; not what
/// its folders hold.
void removeUnfinishedFiles(const std::filesystem::path& folder);
/// Removes the folder and what it holds, where that is nothing but a pyramid.
void removePyramid(const std::filesystem::path& folder) noexcept;

/// What an older pyramid is called while a new one, of that temporary name, takes its place.
[[nodiscard]] std::filesystem::path oldPyramidName(const std::filesystem::path& part);
/// Gives a pyramid its final name, in place of an older one. A process killed meanwhile leaves the
/// older or the newer one, or the newer one under its temporary name and none.
/// @throws InputError where something else than a pyramid has that name
void replacePyramid(const std::filesystem::path& part, const std::filesystem::path& folder);

}  // namespace gantry
