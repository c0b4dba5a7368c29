#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/engine/acquisition.h"
#include "core/io/open_source.h"
#include "core/io/projection_source.h"
#include "core/io/scan_file/scan_file.h"
#include "core/scan/flux/air_beam.h"
#include "core/scan/judged_views.h"
#include "core/scan/missing_pixels.h"
#include "core/scan/modules/module_levels.h"
#include "core/scan/scan_views.h"
#include "core/scan/selected_pixels.h"

namespace gantry {

/// A scan whose files have been found, opened and checked against its geometry. Copies share the
/// open files and the fields.
struct OpenScan : Acquisition {
    ScanFile description;  ///< complete, whichever views are left out
    /// Holds only the used views, counted from 0 without a gap; `views` has their numbers.
    std::shared_ptr<const ProjectionSource> source;
    /// Files of the used projections, dark and flat fields and the mask, in this order.
    std::vector<std::filesystem::path> files;
    std::vector<LeftOutView> leftOut;               ///< the trajectory's other views
    std::shared_ptr<const OpenedViews> images;      ///< all images of the projections
    std::vector<std::filesystem::path> fieldFiles;  ///< the part of `files` after the projections
    FilterRows rows = FilterRows::own;
    std::shared_ptr<const OpenScan> uncorrected = {};  ///< as stored, if the scan is corrected
    /// Judges views when they are read, if they come from files as stored.
    std::shared_ptr<JudgedViews> judged = {};
    /// Fills what single views lack; null where views are corrected().
    std::shared_ptr<MissingPixels> missing = {};
    /// Measures how bright the beam is; for all scans on the same files.
    std::shared_ptr<AirBeams> airBeams = std::make_shared<AirBeams>();
    /// What corrected() took from it; null: nothing.
    std::shared_ptr<const AirBeam> air = {};
    /// Fits the levels of the detector's modules; for all scans on the same files.
    std::shared_ptr<ModuleLevels> moduleLevels = std::make_shared<ModuleLevels>();
    /// What corrected() levelled them by, and the scan before that; null: they were not.
    std::shared_ptr<const LevelledModules> modules = {};
    std::shared_ptr<const OpenScan> unlevelled = {};
    /// The scan as in its files, if only pixels of it are selected().
    std::shared_ptr<const OpenScan> wholeDetector = {};
    /// For all scans on the same files.
    std::shared_ptr<SelectedFieldsOfScan> selectedFields = std::make_shared<SelectedFieldsOfScan>();
    /// DetectorFields::notes, what markMissingInAllViews() and others found, SourceInfo::doubts.
    std::vector<std::string> fieldNotes = {};

    [[nodiscard]] const OpenScan& asInFiles() const {
        return wholeDetector ? *wholeDetector : *this;
    }
    /// The source's view with that number; none if it is left out.
    [[nodiscard]] std::optional<Index> sourceView(Index number) const;
};

/// How the projections of a scan are read.
[[nodiscard]] OpenOptions openOptionsOf(const ScanFile& scan);
/// How its images of a kind are read, which are those of a pattern.
[[nodiscard]] OpenOptions openOptionsOf(const ScanFile& scan, FrameKind frames,
                                        const std::string& pattern);

/// What to do with unusable views that projections.skipViews does not list.
enum class BadViews {
    refuse,  ///< throw an InputError that lists them, or tells what contradictedByNames() does
    list,    ///< leave them out and list them in OpenScan::leftOut, for the user to decide
};

/// Opens projections, dark and flat fields and the bad-pixel mask; averages the fields.
/// @throws InputError naming the file or field: invalid geometry, files that are missing, differ in
///         size, or do not fit the views of the geometry
/// Tests: tests/core/work/reconstruct_test.cpp, tests/core/work/tooth_test.cpp,
///        tests/core/scan/scan_views_test.cpp
/// @throws Cancelled
[[nodiscard]] OpenScan openScan(const ScanFile& description, const std::stop_token& stop = {},
                                BadViews badViews = BadViews::refuse,
                                FilterRows rows = FilterRows::own);

/// A scan of views that exist already, for example in memory. calibration: converts their counts to
/// line integrals; null if they are line integrals, or if no pixel is bad
/// @throws InputError as openScan()
/// Tests: tests/core/recon/in_memory_test.cpp
[[nodiscard]] OpenScan openScan(const ScanGeometry& geometry,
                                std::shared_ptr<const ProjectionSource> views,
                                ProjectionKind kind = ProjectionKind::attenuation,
                                std::shared_ptr<const DetectorCalibration> calibration = {},
                                FilterRows rows = FilterRows::own);

/// The scan with another geometry, or other views left out, on the same files, which are not read
/// again. Bad views are listed. What was measured in the views of corrected() is left to be
/// corrected() again. opened: not selected()
/// @throws InputError as openScan() would: invalid geometry, or one of another detector size or
///         number of views than the files have
/// Tests: tests/core/scan/open_scan_test.cpp
[[nodiscard]] OpenScan withGeometry(const OpenScan& opened, const ScanGeometry& geometry,
                                    const std::vector<Index>& skipViews = {});

/// The same scan, whose views are filtered along other rows. @throws as withGeometry()
[[nodiscard]] OpenScan withRows(const OpenScan& opened, FilterRows rows);

/// The scan as if its detector had only these pixels, in all that follows: its description,
/// geometry, fields, dead pixels and source. The scan itself for the whole detector, or if pixels
/// of it are selected already.
/// @throws InputError as blockOf()
/// Tests: tests/core/scan/selected_pixels_test.cpp
[[nodiscard]] OpenScan selected(OpenScan scan, const PixelSelection& selection);

/// The numbers of all unusable views that projections.skipViews does not list, those that hold no
/// image included. Compressed files are read whole, which takes about as long as reading in one
/// pass of a reconstruction; of others a row of each view suffices.
/// @throws InputError as openScan(); Cancelled
[[nodiscard]] std::vector<Index> findBadViews(const ScanFile& description, int threads,
                                              const std::stop_token& stop);

/// Default count from which on a pixel of a view is clipped: the largest that 8 or 16 bits without
/// sign hold. None for other types.
[[nodiscard]] std::optional<double> defaultSaturation(PixelType type);

/// One whole view as float. view: [v][u]
/// @throws InputError
void readView(const ProjectionSource& source, Index view, std::span<float> pixels);

}  // namespace gantry
