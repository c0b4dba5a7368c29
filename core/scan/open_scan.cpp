#include "core/scan/open_scan.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <mutex>

#include "core/base/parallel.h"
#include "core/base/throw_error.h"
#include "core/base/trial_process.h"
#include "core/geometry/check/validate.h"
#include "core/geometry/pixel_block.h"
#include "core/io/series/match_files.h"
#include "core/io/series/selected_views.h"
#include "core/scan/detector_fields.h"
#include "core/scan/inspect/name_order.h"
#include "core/scan/stuck_pixels.h"
#include "core/scan/view_stages.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// A single file whose list of images breaks off has the missing views as unreadable ones.
OpenedViews filledUp(OpenedViews opened, Index views) {
    if (opened.files.size() > 1 || opened.bad.empty()) return opened;
    const BadView last = opened.bad.back();
    if (last.view + 1 != opened.views() || opened.views() >= views) return opened;
    for (Index view = opened.views(); view < views; ++view) {
        opened.fileOfView.push_back(0);
        opened.bad.push_back(last);
        opened.bad.back().view = view;
    }
    return opened;
}

// The source of the scan: all images, or only those that are used.
std::shared_ptr<const ProjectionSource> sourceOf(const OpenedViews& stored,
                                                 const ScanViews& views) {
    if (std::ssize(views.stored) == stored.source->info().views) return stored.source;
    return std::make_shared<const SelectedViews>(stored.source, views.stored);
}

// Offsets of the used views by what a beam monitor states.
std::vector<BeamOffset> offsetsOf(const DetectorCalibration& calibration,
                                  const std::vector<Index>& used) {
    std::vector<BeamOffset> offsets;
    if (calibration.beam.empty()) return offsets;
    for (const Index view : used)
        offsets.push_back({std::log(calibration.beamAt(view))});
    return offsets;
}

// Derives everything that depends on the geometry and the views to be left out, once files are
// open.
OpenScan derive(ScanFile description, std::shared_ptr<const OpenedViews> images,
                std::shared_ptr<const DetectorCalibration> calibration,
                std::shared_ptr<const PixelRepair> repair, std::vector<fs::path> fieldFiles,
                FilterRows rows = FilterRows::own, const RowExtension& extension = {}) {
    if (rows == FilterRows::rtk && description.geometry.isParallel())
        throw InputError(
            "RTK's weights are those of a cone beam, and the scan is a parallel beam's.",
            {.advice = "Leave --filter-rows rtk away."});
    ScanViews views = matchTrajectory(description, *images);
    std::vector<Index> leftOut;
    for (const LeftOutView& view : views.leftOut)
        leftOut.push_back(view.view);
    Rectifier rectifier(description.geometry, rows);
    RedundancyPlan redundancy = planRedundancy(description.geometry, leftOut, extension);
    AlignedViews geometry = alignedViews(description.geometry, redundancy, leftOut, rows);
    std::shared_ptr<const ProjectionSource> source = sourceOf(*images, views);
    views.files.insert(views.files.end(), fieldFiles.begin(), fieldFiles.end());
    Acquisition acquisition = {source->info(), description.projections.kind, std::move(calibration),
                               rectifier,      std::move(redundancy),        std::move(geometry)};
    acquisition.repair = std::move(repair);
    acquisition.offsets = offsetsOf(*acquisition.calibration, views.used);
    acquisition.views = std::move(views.used);
    OpenScan scan = {std::move(acquisition),   std::move(description),
                     std::move(source),        std::move(views.files),
                     std::move(views.leftOut), std::move(images),
                     std::move(fieldFiles),    rows};
    scan.missing = std::make_shared<MissingPixels>(scan.geometry.anglesDeg);
    return scan;
}

// Views that come from files are judged after the geometry has changed, too. What was measured of
// the beam stays known.
OpenScan sameFiles(const OpenScan& opened, OpenScan derived) {
    if (opened.judged) derived.judged = std::make_shared<JudgedViews>(derived.stored.views);
    derived.airBeams = opened.airBeams;
    derived.fieldNotes = opened.fieldNotes;
    derived.selectedFields = opened.selectedFields;
    derived.moduleLevels = opened.moduleLevels;
    return derived;
}

// extension: of the selected pixels' rows
OpenScan selectedOf(std::shared_ptr<const OpenScan> stored, const PixelSelection& selection,
                    const RowExtension& extension = {}) {
    const SelectedFields fields = stored->selectedFields->of(*stored->calibration, selection);
    ScanFile description = stored->description;
    description.geometry = selected(description.geometry, selection);
    OpenScan scan = derive(std::move(description), stored->images, fields.calibration,
                           fields.repair, stored->fieldFiles, stored->rows, extension);
    scan.source = std::make_shared<const SelectedPixels>(stored, fields);
    scan.stored = scan.source->info();
    scan.missing = nullptr;  // filled in before pixels are selected
    scan.airBeams = fields.airBeams;
    scan.moduleLevels = fields.moduleLevels;
    scan.corrections.pixels = selection;
    scan.beforeSelection = stored;
    scan.wholeDetector = std::move(stored);
    return scan;
}

}  // namespace

OpenOptions openOptionsOf(const ScanFile& scan) {
    return openOptionsOf(scan, FrameKind::projections, scan.projections.files);
}

OpenOptions openOptionsOf(const ScanFile& scan, FrameKind frames, const std::string& pattern) {
    OpenOptions options;
    options.firstRowIsTop = scan.projections.firstRowIsTop;
    options.isMirrored = scan.projections.isMirrored;
    options.turnDeg = static_cast<int>(scan.projections.turnDeg.value_or(0));
    options.frames = frames;
    if (pattern == scan.projections.files) options.entry = scan.projections.entry;
    const Detector& detector = scan.geometry.detector;
    const auto* const type = std::ranges::find(kPixelTypeNames, scan.projections.rawType);
    if (type != std::end(kPixelTypeNames))
        options.bare = {detector.columns, detector.rows,
                        static_cast<PixelType>(type - std::begin(kPixelTypeNames))};
    return options;
}

std::optional<Index> OpenScan::sourceView(Index number) const {
    if (views.empty()) return number;
    const auto found = std::lower_bound(views.begin(), views.end(), number);
    if (found == views.end() || *found != number) return std::nullopt;
    return found - views.begin();
}

std::optional<double> defaultSaturation(PixelType type) {
    if (type == PixelType::uint8) return 255;
    if (type == PixelType::uint16) return 65535;
    return std::nullopt;
}

void readView(const ProjectionSource& source, Index view, std::span<float> pixels) {
    const SourceInfo& info = source.info();
    HostBuffer<std::byte> stored(info.rows * info.columns * sizeBytes(info.pixelType));
    source.readRows(view, {0, info.rows}, stored.span());
    toFloat(info.pixelType, stored.span(), pixels);
}

OpenScan openScan(const ScanFile& description, const std::stop_token& stop, BadViews badViews,
                  FilterRows rows) {
    const TrialStop trialStop(stop);
    const TrialBudget budget;
    throwOnError(validate(description.geometry), description.path.string());
    if (badViews == BadViews::refuse)
        throwOnError(contradictedByNames(description), description.path.string());
    const bool counts = description.projections.kind == ProjectionKind::counts;
    if (counts && description.projections.flat.empty() && !description.projections.flatValue)
        throwError<InputError>(
            "{}: projections.flat: is missing; counts need flat-field images or a flatValue, or "
            "say \"kind\": \"attenuation\" if the files hold line integrals",
            description.path.string());
    auto stored = std::make_shared<const OpenedViews>(
        filledUp(openViews(matchViews(description.folder, description.projections.files),
                           openOptionsOf(description)),
                 description.geometry.views()));
    const SourceInfo& info = stored->source->info();
    requireDetectorSize(description, info, fs::path(stored->source->viewName(0)),
                        "projections.files");
    const ScanViews views = matchTrajectory(description, *stored);
    if (badViews == BadViews::refuse) throwOnBadViews(views.leftOut, description);
    DetectorFields fields = openDetectorFields(description, info, views.numbers, stop);
    if (std::string note = markMissingInAllViews(*stored->source, description.projections.kind,
                                                 fields.calibration);
        !note.empty())
        fields.notes.push_back(std::move(note));
    if (counts && !description.projections.flat.empty())
        if (std::string note = markStuckPixels(*stored->source, fields.calibration); !note.empty())
            fields.notes.push_back(std::move(note));
    fields.notes.insert(fields.notes.end(), info.doubts.begin(), info.doubts.end());
    auto calibration = std::make_shared<const DetectorCalibration>(std::move(fields.calibration));
    auto repair = PixelRepair::of(*calibration);
    OpenScan scan = derive(description, std::move(stored), std::move(calibration),
                           std::move(repair), std::move(fields.files), rows);
    scan.judged = std::make_shared<JudgedViews>(scan.stored.views);
    scan.fieldNotes = std::move(fields.notes);
    return scan;
}

OpenScan openScan(const ScanGeometry& geometry, std::shared_ptr<const ProjectionSource> views,
                  ProjectionKind kind, std::shared_ptr<const DetectorCalibration> calibration,
                  FilterRows rows) {
    constexpr const char* kWhere = "the scan";
    ScanFile description;
    description.path = kWhere;
    description.geometry = geometry;
    description.projections.kind = kind;
    throwOnError(validate(geometry), kWhere);
    const SourceInfo& info = views->info();
    requireDetectorSize(description, info, views->viewName(0), "views");
    if (!calibration) {
        DetectorCalibration plain;
        plain.rows = info.rows;
        plain.columns = info.columns;
        calibration = std::make_shared<const DetectorCalibration>(std::move(plain));
    }
    OpenedViews images;
    images.files = {fs::path()};
    images.fileOfView.resize(info.views);
    images.source = std::move(views);
    auto repair = PixelRepair::of(*calibration);
    return derive(std::move(description), std::make_shared<const OpenedViews>(std::move(images)),
                  std::move(calibration), std::move(repair), {}, rows);
}

OpenScan withGeometry(const OpenScan& opened, const ScanGeometry& geometry,
                      const std::vector<Index>& skipViews) {
    if (opened.unlevelled) return withGeometry(*opened.unlevelled, geometry, skipViews);
    ScanFile description = opened.description;
    description.geometry = geometry;
    description.projections.skipViews = skipViews;
    throwOnError(validate(geometry), description.path.string());
    requireDetectorSize(description, opened.images->source->info(),
                        fs::path(opened.images->source->viewName(0)), "projections.files");
    return sameFiles(
        opened, derive(std::move(description), opened.images, opened.calibration, opened.repair,
                       opened.fieldFiles, opened.rows, opened.redundancy.extension));
}

OpenScan withRows(const OpenScan& opened, FilterRows rows) {
    if (opened.unlevelled) return withRows(*opened.unlevelled, rows);
    if (opened.wholeDetector)
        return selectedOf(std::make_shared<const OpenScan>(withRows(*opened.wholeDetector, rows)),
                          opened.corrections.pixels, opened.redundancy.extension);
    return sameFiles(opened,
                     derive(opened.description, opened.images, opened.calibration, opened.repair,
                            opened.fieldFiles, rows, opened.redundancy.extension));
}

OpenScan selected(OpenScan scan, const PixelSelection& selection) {
    if (selection.isWhole() || scan.wholeDetector) return scan;
    return selectedOf(std::make_shared<const OpenScan>(std::move(scan)), selection);
}

std::vector<Index> findBadViews(const ScanFile& description, int threads,
                                const std::stop_token& stop) {
    const OpenScan scan = openScan(description, stop, BadViews::list);
    std::vector<Index> bad;
    for (const LeftOutView& view : scan.leftOut)
        if (!view.isWanted) bad.push_back(view.view);
    const SourceInfo& info = scan.source->info();
    const Index middle = info.rows / 2;
    const IndexRange rows =
        info.isCompressed ? IndexRange{0, info.rows} : IndexRange{middle, middle + 1};
    const Index bytes = rows.size() * scan.storedRowBytes();
    std::mutex mutex;
    parallelFor(
        threads, info.views, 1,
        [&](Index begin, Index end, int) {
            HostBuffer<std::byte> pixels(bytes);
            for (Index view = begin; view < end; ++view) {
                try {
                    readStoredRows(scan, view, rows, pixels.span());
                } catch (const InputError&) {
                    const std::scoped_lock lock(mutex);
                    bad.push_back(scan.numberOf(view));
                }
            }
        },
        stop);
    std::ranges::sort(bad);
    return bad;
}

}  // namespace gantry
