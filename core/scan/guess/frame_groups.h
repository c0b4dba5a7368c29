#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/scan/guess/frame_names.h"

namespace gantry {

/// Files of one folder that are the same kind of frames by their names or the folder's.
struct FrameGroup {
    FrameRole role = FrameRole::projections;
    std::filesystem::path folder;
    std::vector<std::filesystem::path> files;
    std::string reason;  ///< why they are of that kind, without a full stop; empty: no doubt
    FrameTime when = FrameTime::unknown;
    bool isByFolder = false;   ///< the folder's name gives the role, not the files'
    bool isNeighbour = false;  ///< beside the folder that was searched
    bool isVolume = false;     ///< of projections: marked as a volume, or with a record of its job
};

/// Groups of files in and around a folder, the nearest first: in it, in its folders, and in those
/// beside it whose names have a word for dark or flat frames. Files of one role are one group as
/// far as they have the same format, and projections the same family. whyNot: set to the first
/// reason why images cannot be listed, if it is empty
[[nodiscard]] std::vector<FrameGroup> groupsAround(const std::filesystem::path& folder,
                                                   std::string& whyNot);

/// The group of a file that the user named: the file alone, or with others of its sequence.
/// entry: OpenOptions::entry
/// @throws InputError when it cannot be opened
[[nodiscard]] FrameGroup groupOfFile(const std::filesystem::path& file, const std::string& entry);

/// A pattern that matches these files of the folder and no others; empty if there is none.
[[nodiscard]] std::string patternOf(const FrameGroup& group);

/// The format that a file's extension says, as its usual extension.
[[nodiscard]] std::string formatByName(const std::filesystem::path& file);

/// The name that gives the group its role: its folder's, or that of its first file without
/// the extension.
[[nodiscard]] std::string nameOfRole(const FrameGroup& group);

}  // namespace gantry
