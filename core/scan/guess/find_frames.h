#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/io/projection_source.h"
#include "core/io/stated_geometry.h"
#include "core/scan/guess/frame_names.h"

namespace gantry {

/// Images of one kind in one folder.
struct FrameSeries {
    std::string pattern;  ///< matches only these files, relative to FoundFrames::folder
    std::string reason;   ///< why they are of that kind, one sentence; empty: no doubt
    std::shared_ptr<const ProjectionSource> source;  ///< the usable ones
    Index views = 0;                                 ///< including unusable ones
    bool isUnsure = false;  ///< they are outside the scan's folder, or their names say little
};

/// Images that look like a part of the scan and are not used.
struct UnusedFrames {
    FrameRole role = FrameRole::projections;  ///< for darkOrFlat: flat
    std::string clause;                       ///< which, and why
    bool isDoubt = true;                      ///< they may well be what is missing
};

/// The frames of a scan without a description, as far as names of files and folders show them.
struct FoundFrames {
    std::filesystem::path folder;  ///< contains all of them, directly or in folders
    std::string name;              ///< of the scan
    FrameSeries projections;
    std::optional<FrameSeries> dark;
    std::optional<FrameSeries> flat;
    /// From after the scan ("Flat_After"), where there are also some from before it.
    std::optional<FrameSeries> darkAfter;
    std::optional<FrameSeries> flatAfter;
    std::vector<UnusedFrames> unused;
    /// The geometry that the file of the projections states.
    std::optional<StatedGeometry> stated;
};

/// Looks for projections, dark and flat frames in a folder and in its folders by their names
/// (frame_names.h; for "background" the brightness decides). Frames beside the folder are taken
/// only if it has none of that kind, their whole name says what they are, they are of the views'
/// size and type, and they are no scan of their own; they are unsure even so. With a file that
/// contains a single image come the others whose names differ only in their number. entry:
/// OpenOptions::entry of the projections
/// @throws InputError when there are no projections, or two series that may be them
/// Tests: tests/core/scan/guess_scan_test.cpp, tests/core/scan/find_frames_test.cpp
[[nodiscard]] FoundFrames findFrames(const std::filesystem::path& path,
                                     const std::string& entry = {});

}  // namespace gantry
