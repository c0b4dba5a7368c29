#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/describe/scan_description.h"
#include "core/filter/redundancy.h"
#include "core/geometry/check/validate.h"
#include "core/geometry/volume_grid.h"
#include "core/io/projection_source.h"
#include "core/io/scan_file/scan_file.h"
#include "core/prep/pixel_defects.h"
#include "core/scan/scan_views.h"

namespace gantry {

/// Percentages of the values that ImageStatistics::percentiles lie above.
inline constexpr std::array<int, 5> kPercentiles = {1, 5, 50, 95, 99};

/// Statistics of images as stored (for a volume with their scale applied).
struct ImageStatistics {
    Index images = 0;  ///< that were read
    double smallest = 0;
    double largest = 0;
    double mean = 0;
    double standardDeviation = 0;
    std::array<double, kPercentiles.size()> percentiles{};  ///< from a sample of the pixels
};

/// Why an image is suspect.
enum class Suspicion { damaged, notFinite, constant, saturated, unlikeNeighbours };

/// An image that does not look like the others.
struct SuspectFrame {
    Index number = 0;
    std::string name;  ///< of its file
    Suspicion suspicion = Suspicion::damaged;
    std::string reason;  ///< "constant: every pixel is 0"
};

/// Images of one kind: the projections, the dark or flat frames, or the slices of a volume.
struct SeriesInspection {
    std::string kind;  ///< "projections", "dark", "flat", "bad pixels", "images", "slices"
    std::string where;
    SourceInfo info;  ///< of the usable images; the number of views is that of all
    ImageStatistics statistics;
    std::vector<SuspectFrame> suspects;
    std::vector<LeftOutView> leftOut;  ///< of projections and bare images: bad views, and those
                                       ///< that the scan leaves out
};

/// Values derived from a scan's geometry.
struct GeometryFacts {
    double magnification = 0;
    std::array<double, 2> voxelMm{};  ///< a pixel scaled to the isocentre
    FieldOfView field;
    double fanAngleDeg = 0;   ///< that the detector's columns span
    double coneAngleDeg = 0;  ///< that its rows span
    double arcDeg = 0;
    std::optional<RedundancyPlan> redundancy;  ///< none when the arc is too short
    VolumeGrid fitted;
};

struct Inspection {
    std::filesystem::path path;
    std::string entry;             ///< InspectOptions::entry
    std::optional<ScanFile> scan;  ///< none for bare images
    /// Where its values are from, if another file than a scan.json describes it.
    std::optional<ScanDescription> description;
    std::vector<SeriesInspection> series;
    std::optional<GeometryFacts> geometry;
    std::optional<VolumeGrid> volume;  ///< if the path is a volume
    std::optional<DefectMap> defects;  ///< none where not looked for, or not opened
    std::vector<Problem> problems;     ///< errors first
    std::vector<std::string> missing;  ///< information that a reconstruction needs and bare images
                                       ///< lack
};

struct InspectOptions {
    int threads = 1;
    bool everyImage = false;  ///< false: as many as make up about 200 MB, spread evenly
    std::stop_token stop;
    /// Whether to look for defects of the detector, which reads dark and flat frames once more.
    bool findsDefects = false;
    /// OpenOptions::entry of the projections, in place of the one that a scan.json names.
    std::string entry{};
};

/// Inspects a scan.json or another description of a scan, a folder, or an image or volume file.
/// Faults of a scan are listed, not thrown, as far as the scan is recognised at all. answers: to
/// the open questions of a description
/// @throws InputError when the path is missing, contains no images, or its description cannot be
///         read
/// @throws Cancelled
/// Tests: tests/core/scan/inspect_test.cpp
[[nodiscard]] Inspection inspectPath(const std::filesystem::path& path,
                                     const InspectOptions& options, const Answers& answers = {});

/// Adds to the inspection of bare images what their names and pictures say against the scan that
/// they are taken for.
/// @throws ResourceError, Cancelled
void inspectAs(const ScanFile& scan, const InspectOptions& options, Inspection& bare);

/// @throws InputError stating what to do with it where a path that may be mistaken for a scan is
///         none: the folder of a job, a geometry of RTK
void refuseOtherFiles(const std::filesystem::path& path);

}  // namespace gantry
