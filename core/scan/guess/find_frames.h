#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/io/projection_source.h"
#include "core/io/stated_geometry.h"

namespace gantry {

/// Images of one kind in one folder.
struct FrameSeries {
    std::string pattern;  ///< that matches just these files, relative to FoundFrames::folder
    std::string reason;   ///< why they are taken for what they are, one sentence; empty: no doubt
    std::shared_ptr<const ProjectionSource> source;  ///< of those that can be used
    Index views = 0;                                 ///< those that cannot be used counted in
};

/// The frames of a scan that comes without a description, as names of files and folders show them.
struct FoundFrames {
    std::filesystem::path folder;  ///< all of them are in it, or in folders in it
    std::string name;              ///< of the scan
    FrameSeries projections;
    std::optional<FrameSeries> dark;
    std::optional<FrameSeries> flat;
    /// What the file of the projections says itself.
    std::optional<StatedGeometry> stated;
};

/// Looks for projections, dark and flat frames in a folder, in the folders in it, and in those
/// beside it that bear the name of dark or flat frames ("dark", "di", "offset"; "flat", "io",
/// "gain", "white", "open"; for "background" the brightness decides). A file that holds a single
/// image brings the others that differ from it in their number alone.
/// @throws InputError when there are no projections
/// Tests: tests/core/scan/guess_scan_test.cpp
[[nodiscard]] FoundFrames findFrames(const std::filesystem::path& path);

/// Values of a few of the images, from dark to bright.
struct FrameSample {
    double median = 0;
    double bright = 0;  ///< 99 of 100 are darker
    double smallest = 0;
    double edge = 0;  ///< median of the first and last columns, where the object rarely reaches
};
/// @throws InputError when none of them can be read or has a finite value
[[nodiscard]] FrameSample sampleFrames(const ProjectionSource& source);

}  // namespace gantry
