#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// What the projections' pixels mean.
enum class ProjectionKind { counts, attenuation };

/// The "projections" part of a scan: patterns relative to the scan file's folder.
struct ProjectionFiles {
    std::string files;
    ProjectionKind kind = ProjectionKind::counts;
    std::string dark;  ///< empty: none, the dark signal is 0
    std::string flat;  ///< empty: none; then flatValue must be given for counts
    /// Frames from after the scan, where `dark` and `flat` are from before it: between the two they
    /// change linearly over the views. Empty: `dark` and `flat` hold for all views.
    std::string darkAfter;
    std::string flatAfter;
    std::optional<double> flatValue;  ///< the open beam's counts, where there is no flat image
    std::optional<double>
        saturationValue;    ///< counts from here up are clipped; default: the type's largest
    std::string badPixels;  ///< an image whose non-zero pixels are dead; empty: none
    /// Views to leave out, by their numbers in the trajectory, counted from 0; in order, each once.
    std::vector<Index> skipViews;
    bool firstRowIsTop = true;  ///< "detector.firstRow"
    bool isMirrored = false;    ///< "detector.mirrored": left to right
    std::string rawType;        ///< of pixels without any header, by name(PixelType); empty: none
    /// "detector.turnDeg": images are turned clockwise by 90, 180 or 270° before that is looked at.
    std::optional<double> turnDeg;
    /// Whether what a beam monitor in the files says is left unused; see SourceInfo::monitor.
    bool ignoresMonitor = false;

    /// Which scan of `files` is meant where a file holds several, see OpenOptions; it holds for
    /// other patterns that are the same, too. Empty: the usual one.
    std::string entry{};

    /// The patterns that are set; `files` is the first. Valid as long as this is.
    [[nodiscard]] std::vector<std::string*> patterns();
};

/// What a scan was read from, where it was not a scan.json: "description".
struct ScanOrigin {
    std::string format;  ///< "Nikon X-Tek"; empty: it was a scan.json, or bare images
    std::string file;    ///< the description, relative to the scan's folder
    /// How the open questions of the description were answered, each "QUESTION=ANSWER; how it is
    /// known": "rotation=clockwise; found on the views (sure)".
    std::vector<std::string> answers;
};

/// A scan.json (resources/help/geometry.md): what was measured, where, and the volume wanted, if it
/// names one.
struct ScanFile {
    std::filesystem::path folder;  ///< patterns are relative to it
    std::filesystem::path path;    ///< of the file itself, for messages
    std::string name;
    ScanGeometry geometry;
    ProjectionFiles projections;
    std::optional<VolumeGrid> volume;
    ScanOrigin origin;
};

/// Reads a scan.json. It does not check whether the geometry makes sense; validate() does.
/// "trajectory.anglesDeg" is a list, or the name of a text file with one angle a line (blank lines
/// and lines that begin with # are skipped); it replaces startDeg, arcDeg and views. The default
/// arc of a parallel beam is 180°, that of a cone 360°. "trajectory.poses" of calibrated poses is a
/// list of lists of twelve numbers (core/io/scan_file/ pose_file.h), or the name of a CSV file;
/// they determine the pitch.
/// @throws InputError naming the file and field: malformed, unknown, missing, of a wrong type
/// Tests: tests/core/io/scan_file_test.cpp
[[nodiscard]] ScanFile readScanFile(const std::filesystem::path& path);
/// The same from a text. `path` is where it comes from, for messages and relative names.
[[nodiscard]] ScanFile parseScan(const std::string& json, const std::filesystem::path& path);
/// The scan as readScanFile() reads it back, every number exactly. Listed angles and poses are
/// written into it, in place of startDeg, arcDeg and views.
[[nodiscard]] std::string toJson(const ScanFile& scan);

/// Moves a scan to the file `path`, with patterns that refer to the same images as before: relative
/// ones if the images are in the file's folder, or in folders in it.
/// Tests: tests/ui/workspace/request_test.cpp
void moveScan(ScanFile& scan, const std::filesystem::path& path);

}  // namespace gantry
