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
    std::string pattern;  ///< matches only these files, relative to FoundFrames::folder
    std::string reason;   ///< why they are of that kind, one sentence; empty: no doubt
    std::shared_ptr<const ProjectionSource> source;  ///< the usable ones
    Index views = 0;                                 ///< including unusable ones
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
    std::vector<std::string> unused;  ///< further frames, a clause each on why they are not used
    /// The geometry that the file of the projections states.
    std::optional<StatedGeometry> stated;
};

/// Looks for projections, dark and flat frames in a folder, in its folders, and in those beside it
/// that are named like dark or flat frames ("dark", "di", "offset"; "flat", "io", "gain", "white",
/// "open"; for "background" the brightness decides). With a file that contains a single image come
/// the others whose names differ only in their number.
/// @throws InputError when there are no projections
/// Tests: tests/core/scan/guess_scan_test.cpp
[[nodiscard]] FoundFrames findFrames(const std::filesystem::path& path);

/// Values of a few of the images, from dark to bright.
struct FrameSample {
    double median = 0;
    double bright = 0;  ///< 99 of 100 pixels are darker
    double smallest = 0;
    double edge = 0;  ///< median of the first and last columns, where the object rarely reaches
};
/// @throws InputError when none of them can be read or has a finite value
[[nodiscard]] FrameSample sampleFrames(const ProjectionSource& source);

}  // namespace gantry
