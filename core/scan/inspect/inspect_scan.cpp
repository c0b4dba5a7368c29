#include "core/scan/inspect/inspect_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/base/trial_process.h"
#include "core/describe/description_format.h"
#include "core/io/open_source.h"
#include "core/io/series/match_files.h"
#include "core/io/volume/stored_volume.h"
#include "core/io/zarr/zarr_image.h"
#include "core/scan/geometry_file.h"
#include "core/scan/guess/described_scan.h"
#include "core/scan/guess/find_frames.h"
#include "core/scan/inspect/find_defects.h"
#include "core/scan/inspect/image_statistics.h"
#include "core/scan/inspect/name_order.h"
#include "core/scan/inspect/picture_checks.h"
#include "core/scan/open_scan.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using Severity = Problem::Severity;

// Where values of an image are clipped: the scan's own limit, or the type's largest.
std::optional<double> saturationOf(const ScanFile& scan, PixelType type) {
    if (scan.projections.saturationValue) return scan.projections.saturationValue;
    if (scan.projections.kind == ProjectionKind::attenuation) return std::nullopt;
    return defaultSaturation(type);
}

// Collects what is wrong with fields of the scan.
struct Complaints {
    const ScanFile& scan;
    std::string field;
    std::vector<Problem>& problems;

    void add(const std::string& message) const {
        problems.push_back({Severity::error, field, message});
    }
    void checkSize(const SourceInfo& info) const {
        const Detector& detector = scan.geometry.detector;
        if (info.columns != detector.columns || info.rows != detector.rows)
            add(fmt::format("the images have {} × {} pixels; the detector has {} × {}",
                            info.columns, info.rows, detector.columns, detector.rows));
    }
};

// Inspects the files of one pattern of a scan; their faults become problems of `field`.
void inspectPattern(const ScanFile& scan, const std::string& kind, const std::string& field,
                    const std::string& pattern, FrameKind frames, const InspectOptions& options,
                    Inspection& result) {
    if (pattern.empty()) return;
    const Complaints complaints{scan, field, result.problems};
    try {
        const auto source =
            openSource(matchFiles(scan.folder, pattern), openOptionsOf(scan, frames, pattern));
        SeriesInspection series;
        series.kind = kind;
        series.where = pattern;
        // Fields and masks may be of any brightness.
        inspectImages(*source, std::nullopt, options, series);
        complaints.checkSize(series.info);
        result.series.push_back(std::move(series));
    } catch (const InputError& error) {
        complaints.add(error.what());
    }
}

void complainOf(const LeftOutView& view, std::vector<Problem>& problems) {
    problems.push_back(
        {Severity::error, "projections.skipViews",
         fmt::format("View {}: {} Leave it out with --skip-views {}, or replace the file.",
                     view.view, view.sentence, view.view)});
}

// Assigns the images to views, as far as possible.
void matchViewsOf(const ScanFile& scan, const OpenedViews& opened, const Complaints& complaints,
                  SeriesInspection& series) {
    ScanViews views;
    try {
        views = matchTrajectory(scan, opened);
    } catch (const InputError& error) {
        return complaints.add(error.what());
    }
    for (SuspectFrame& suspect : series.suspects)
        suspect.number = views.numbers[suspect.number];
    series.leftOut = std::move(views.leftOut);
    for (const LeftOutView& view : series.leftOut)
        if (!view.isWanted) complainOf(view, complaints.problems);
}

void inspectProjections(const ScanFile& scan, const InspectOptions& options, Inspection& result) {
    const Complaints complaints{scan, "projections.files", result.problems};
    try {
        const OpenedViews opened =
            openViews(matchViews(scan.folder, scan.projections.files), openOptionsOf(scan));
        SeriesInspection series;
        series.kind = "projections";
        series.where = scan.projections.files;
        inspectImages(*opened.source, saturationOf(scan, opened.source->info().pixelType), options,
                      series);
        series.info.views = opened.views();
        complaints.checkSize(series.info);
        matchViewsOf(scan, opened, complaints, series);
        result.series.push_back(std::move(series));
    } catch (const InputError& error) {
        complaints.add(error.what());
    }
}

double spanDeg(double center, double half, double distance) {
    return degrees(std::atan2(center + half, distance) - std::atan2(center - half, distance));
}

GeometryFacts factsOf(const ScanGeometry& geometry, const std::vector<Index>& leftOut,
                      std::vector<Problem>& problems) {
    const AlignedDetector detector = alignedDetector(geometry);
    GeometryFacts facts;
    facts.magnification = geometry.magnification();
    const auto angle = [&](std::size_t axis, Index pixels) {
        return spanDeg(detector.centerMm[axis],
                       static_cast<double>(pixels) * detector.pitchMm[axis] / 2,
                       detector.distanceMm);
    };
    facts.voxelMm = {detector.pitchMm[0] / facts.magnification,
                     detector.pitchMm[1] / facts.magnification};
    facts.fanAngleDeg = angle(0, detector.columns);
    facts.coneAngleDeg = angle(1, detector.rows);
    facts.arcDeg = geometry.coverageDeg();
    facts.field = fieldOfView(geometry);
    try {
        facts.fitted = fitGrid(geometry);
        facts.redundancy = planRedundancy(geometry, leftOut);
    } catch (const InputError& error) {
        problems.push_back({Severity::error, error.field().empty() ? "trajectory" : error.field(),
                            error.message()});
    }
    return facts;
}

bool hasError(const std::vector<Problem>& problems) {
    return std::ranges::any_of(
        problems, [](const Problem& problem) { return problem.severity == Severity::error; });
}

void inspectPictures(const ScanFile& scan, const InspectOptions& options, Inspection& result) {
    if (hasError(result.problems)) return;
    try {
        const OpenScan opened = openScan(scan, options.stop, BadViews::list);
        if (const auto level = saturationOf(scan, opened.source->info().pixelType))
            for (SeriesInspection& series : result.series)
                judgeSaturatedAgain(opened, *level, options.stop, series.suspects);
        for (Problem& problem : checkPictures(opened, options.threads, options.stop))
            result.problems.push_back(std::move(problem));
        for (const std::string& note : opened.fieldNotes)
            result.problems.push_back({Severity::warning, "projections", note});
        if (options.findsDefects) result.defects = findDefects(opened, options.stop);
    } catch (const ViewError& error) {
        // Damaged views that were found already are left out by whoever is asked about them.
        const bool isKnown =
            std::ranges::any_of(result.series, [&](const SeriesInspection& series) {
                return series.kind == "projections" &&
                       std::ranges::find(series.suspects, error.view(), &SuspectFrame::number) !=
                           series.suspects.end();
            });
        if (!isKnown)
            result.problems.push_back({Severity::error, "projections.files", error.message()});
    } catch (const InputError& error) {
        result.problems.push_back({Severity::error,
                                   error.field().empty() ? "projections.files" : error.field(),
                                   error.message()});
    }
}

Inspection inspectScan(const fs::path& path, const InspectOptions& options,
                       const Answers& answers) {
    Inspection result;
    result.path = path;
    ScanDescription description = describedWithImages(path, answers);
    result.scan = description.scan;
    if (!options.entry.empty()) result.scan->projections.entry = options.entry;
    const ScanFile& scan = *result.scan;
    const ProjectionFiles& files = scan.projections;
    result.problems = description.statements.empty() ? validate(scan.geometry, files.skipViews)
                                                     : description.problems;
    if (!description.statements.empty()) result.description = std::move(description);
    if (!hasError(result.problems)) {
        result.geometry = factsOf(scan.geometry, files.skipViews, result.problems);
        if (scan.volume)
            for (const Problem& problem : validate(*scan.volume, scan.geometry))
                result.problems.push_back(problem);
    }
    for (Problem& problem : contradictedByImages(scan))
        result.problems.push_back(std::move(problem));
    for (Problem& problem : contradictedByNames(scan))
        result.problems.push_back(std::move(problem));
    if (files.kind == ProjectionKind::counts && files.flat.empty() && !files.flatValue)
        result.problems.push_back({Severity::error, "projections.flat",
                                   "is missing; counts need flat-field images or a flatValue",
                                   true});
    inspectProjections(scan, options, result);
    inspectPattern(scan, "dark", "projections.dark", files.dark, FrameKind::dark, options, result);
    inspectPattern(scan, "dark after", "projections.darkAfter", files.darkAfter, FrameKind::dark,
                   options, result);
    inspectPattern(scan, "flat", "projections.flat", files.flat, FrameKind::flat, options, result);
    inspectPattern(scan, "flat after", "projections.flatAfter", files.flatAfter, FrameKind::flat,
                   options, result);
    inspectPattern(scan, "bad pixels", "projections.badPixels", files.badPixels,
                   FrameKind::badPixels, options, result);
    inspectPictures(scan, options, result);
    std::ranges::stable_sort(result.problems, [](const Problem& a, const Problem& b) {
        return a.severity == Severity::error && b.severity != Severity::error;
    });
    return result;
}

void inspectBare(const fs::path& folder, const std::string& pattern, FrameKind frames,
                 const std::string& entry, const InspectOptions& options, Inspection& result) {
    const OpenedViews opened =
        openViews(matchViews(folder, pattern), {.frames = frames, .entry = entry});
    SeriesInspection series;
    series.kind = "images";
    series.where = pattern == "." ? folder.string() : (folder / pattern).string();
    inspectImages(*opened.source, defaultSaturation(opened.source->info().pixelType), options,
                  series);
    series.info.views = opened.views();
    for (const BadView& bad : opened.bad) {
        // Numbers of the good ones behind a bad one include it.
        for (SuspectFrame& suspect : series.suspects)
            if (suspect.number >= bad.view) ++suspect.number;
        series.leftOut.push_back({bad.view, bad.file, true, false, bad.sentence});
        result.problems.push_back({Severity::error, "images", bad.sentence});
    }
    result.series.push_back(std::move(series));
}

// A volume's stored integers are attenuation after scaling.
void applyScale(const VoxelEncoding& encoding, ImageStatistics& statistics) {
    const auto apply = [&](double& value) { value = encoding.slope * value + encoding.intercept; };
    apply(statistics.smallest);
    apply(statistics.largest);
    apply(statistics.mean);
    statistics.standardDeviation *= std::abs(encoding.slope);
    for (double& value : statistics.percentiles)
        apply(value);
}

Inspection inspectVolume(const fs::path& path, const StoredVolume& volume,
                         const InspectOptions& options) {
    Inspection result;
    result.path = path;
    result.volume = volume.grid;
    SeriesInspection series;
    series.kind = "slices";
    series.where = path.string();
    inspectImages(*volume.slices, std::nullopt, options, series);
    applyScale(volume.encoding, series.statistics);
    // Slices above and below the object may differ from their neighbours.
    std::erase_if(series.suspects, [](const SuspectFrame& frame) {
        return frame.suspicion == Suspicion::unlikeNeighbours ||
               frame.suspicion == Suspicion::constant;
    });
    result.series.push_back(std::move(series));
    return result;
}

// Inspects what a reconstruction would take for the scan's images, each kind by itself. The folders
// that they are in are added to `seen`.
void inspectFound(const FoundFrames& found, const InspectOptions& options,
                  std::vector<fs::path>& seen, Inspection& result) {
    const auto inspect = [&](const FrameSeries& frames, FrameKind kind) {
        const std::string& entry =
            frames.pattern == found.projections.pattern ? options.entry : std::string();
        inspectBare(found.folder, frames.pattern, kind, entry, options, result);
        seen.push_back((found.folder / frames.pattern).lexically_normal().parent_path());
    };
    inspect(found.projections, FrameKind::projections);
    const auto inspectField = [&](const std::optional<FrameSeries>& frames, FrameKind kind,
                                  const char* field) {
        if (!frames) return result.missing.emplace_back(field), void();
        // The file of the projections has been looked at.
        if (frames->pattern != found.projections.pattern) inspect(*frames, kind);
    };
    inspectField(found.dark, FrameKind::dark, "projections.dark");
    inspectField(found.flat, FrameKind::flat, "projections.flat");
    if (found.darkAfter) inspect(*found.darkAfter, FrameKind::dark);
    if (found.flatAfter) inspect(*found.flatAfter, FrameKind::flat);
}

// Inspects the images of the folder itself, or of its folders.
Inspection inspectFolder(const fs::path& folder, const InspectOptions& options) {
    Inspection result;
    result.path = folder;
    result.entry = options.entry;
    if (isStoredVolume(folder)) return inspectVolume(folder, openStoredVolume(folder), options);
    result.missing = {"trajectory.sourceToIsocenterMm", "trajectory.sourceToDetectorMm",
                      "trajectory.arcDeg", "detector.pitchMm"};
    std::vector<fs::path> seen;
    std::string reason;
    try {
        inspectFound(findFrames(folder, options.entry), options, seen, result);
    } catch (const InputError& error) {
        reason = error.what();
    }
    const fs::path whole = (fs::absolute(folder) / "").lexically_normal().parent_path();
    std::vector<fs::path> others;
    if (seen.empty()) others.push_back(whole);
    for (const fs::path& entry : entriesOf(whole))
        if (isFolder(entry) && !pathExists(entry / "job.json") &&
            std::ranges::find(seen, entry) == seen.end())
            others.push_back(entry);
    for (const fs::path& other : others) {
        try {
            inspectBare(other, ".", FrameKind::projections, {}, options, result);
        } catch (const InputError&) {
            // A folder without images is skipped.
        }
    }
    if (result.series.empty()) throw InputError(reason);
    if (!reason.empty()) result.problems.push_back({Severity::error, "images", reason});
    return result;
}

// Only descriptions leave questions open.
void requireNoAnswers(const fs::path& path, const Answers& answers) {
    if (!answers.empty())
        throwError<InputError>("{}: has no description with the question {}", path.string(),
                               answers.begin()->first);
}

}  // namespace

void inspectAs(const ScanFile& scan, const InspectOptions& options, Inspection& bare) {
    for (Problem& problem : contradictedByNames(scan))
        bare.problems.push_back(std::move(problem));
    inspectPictures(scan, options, bare);
}

void refuseOtherFiles(const fs::path& path) {
    if (pathExists(path / "job.json"))
        throwError<InputError>(
            "{}: is the folder of a job; look at the volume that it made, or at its scan",
            path.string());
    if (inLowerCase(path.extension().string()) == ".xml" && !isFolder(path) && !scanFormatOf(path))
        throwError<InputError>(
            "{}: is a geometry, as RTK writes it, and holds no images; open the images first, then "
            "import this geometry",
            path.string());
}

Inspection inspectPath(const fs::path& path, const InspectOptions& options,
                       const Answers& answers) {
    const TrialStop stop(options.stop);
    const TrialBudget budget;
    if (!pathExists(path))
        throwError<InputError>("{}: there is no such file or folder", path.string());
    refuseOtherFiles(path);
    // The reason why a Zarr cannot be read is in it, not in the images that its folder lacks.
    if (isFolder(path) && isZarr(path)) return inspectVolume(path, openStoredVolume(path), options);
    if (const std::optional<fs::path> file = descriptionAt(path))
        return inspectScan(*file, options, answers);
    requireNoAnswers(path, answers);
    if (isFolder(path)) return inspectFolder(path, options);
    if (options.entry.empty() && isStoredVolume(path))
        return inspectVolume(path, openStoredVolume(path), options);
    Inspection result;
    result.path = path;
    result.entry = options.entry;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    inspectBare(folder, path.filename().string(), FrameKind::projections, options.entry, options,
                result);
    return result;
}

}  // namespace gantry
