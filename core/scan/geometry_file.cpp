#include "core/scan/geometry_file.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/geometry/check/problem_list.h"
#include "core/io/matlab/tigre_geometry.h"
#include "core/io/open_source.h"
#include "core/io/scan_file/pose_file.h"
#include "core/io/series/match_files.h"
#include "core/scan/guess/stated_axis.h"

namespace gantry {

namespace fs = std::filesystem;

GeometryFormat geometryFormatOf(const fs::path& path) {
    const std::string extension = inLowerCase(path.extension().string());
    if (extension == ".xml") return GeometryFormat::rtk;
    if (extension == ".csv") return GeometryFormat::poses;
    if (extension == ".mat") return GeometryFormat::tigre;
    return extension == ".json" ? GeometryFormat::scan : GeometryFormat::astra;
}

std::optional<StatedGeometry> statedByProjections(const ScanFile& scan) {
    if (!scan.projections.rawType.empty()) return std::nullopt;  // there is no header
    std::vector<fs::path> files;
    try {
        files = matchViews(scan.folder, scan.projections.files);
    } catch (const InputError&) {
        return std::nullopt;
    }
    std::optional<StatedGeometry> stated = statedGeometry(files, scan.projections.entry);
    // The scan has a pitch of its own, beside which a mere candidate counts for nothing.
    if (stated && stated->isPitchCandidate) return std::nullopt;
    return stated;
}

ExchangedGeometry readGeometryFile(const fs::path& path, GeometryFormat format,
                                   const Detector& detector,
                                   const std::optional<StatedGeometry>& images) {
    ImagesOfGeometry shown{detector.columns, detector.rows, detector.pitchMm};
    switch (format) {
        case GeometryFormat::rtk:
            if (images && images->pitchMm) shown.pitchMm = *images->pitchMm;
            if (images) shown.middleMm = images->offsetMm.value_or(shown.middleMm);
            return {readRtkGeometry(path, shown), images ? images->firstRowIsTop : std::nullopt};
        case GeometryFormat::scan: {
            ScanFile scan = readDescribedScan(path);
            return {std::move(scan.geometry), scan.projections.firstRowIsTop,
                    scan.projections.isMirrored};
        }
        case GeometryFormat::poses:
            return {geometryOfPoses(readPoseFile(path), detector.columns, detector.rows), {}};
        case GeometryFormat::leap:
            return readLeapParameters(path);
        case GeometryFormat::tigre:
            return readTigreGeometry(path);
        case GeometryFormat::astra:
            break;
    }
    return readAstraVectors(path, detector.columns, detector.rows);
}

namespace {

std::string exchangedText(GeometryFormat format, const ExchangedGeometry& exchanged) {
    const ScanGeometry& geometry = exchanged.geometry;
    if (format == GeometryFormat::rtk) return toRtkXml(geometry);
    if (format == GeometryFormat::astra) return toAstraVectors(exchanged);
    std::vector<ViewPose> poses;
    poses.reserve(geometry.views());
    for (Index s = 0; s < geometry.views(); ++s)
        poses.push_back(viewPose(geometry, s));
    return toPoseCsv(poses);
}

std::optional<StatedGeometry> statedOrNothing(const ScanFile& scan) {
    try {
        return statedByProjections(scan);
    } catch (const InputError&) {
        return std::nullopt;  // faults of the images are reported where they are read
    }
}

void compareRowOrder(const ScanFile& scan, const StatedGeometry& images, ProblemList& problems) {
    const bool isTop = scan.projections.firstRowIsTop;
    if (!images.firstRowIsTop || *images.firstRowIsTop == isTop) return;
    problems.warningOf(
        "detector.firstRow",
        fmt::format("is {}; the projections' file has the {} row first, in {}. The wrong one makes "
                    "the volume a mirror image",
                    isTop ? "top" : "bottom", isTop ? "bottom" : "top", images.where));
}

void comparePitch(const Detector& detector, const StatedGeometry& images, ProblemList& problems) {
    constexpr double kSame = 1e-3;  // of the pitch: files have few digits
    if (!images.pitchMm) return;
    const auto [u, v] = *images.pitchMm;
    if (std::abs(u / detector.pitchMm[0] - 1) < kSame &&
        std::abs(v / detector.pitchMm[1] - 1) < kSame)
        return;
    problems.warningOf("detector.pitchMm",
                       fmt::format("is {:g} × {:g} mm; the projections' file has {:g} × {:g} mm, "
                                   "in {}",
                                   detector.pitchMm[0], detector.pitchMm[1], u, v, images.where));
}

void compareOffset(const Detector& detector, const StatedGeometry& images, ProblemList& problems) {
    const bool isLeftOut = detector.offsetMm == std::array<double, 2>{0, 0};
    if (!isLeftOut || !images.offsetMm || !placesDetector(images, detector)) return;
    const auto [u, v] = *images.offsetMm;
    if (std::abs(u) < detector.pitchMm[0] / 2 && std::abs(v) < detector.pitchMm[1] / 2) return;
    problems.warningOf("detector.offsetMm",
                       fmt::format("is 0, 0 mm; the projections' file has the detector's middle at "
                                   "{:g}, {:g} mm, in {}",
                                   u, v, images.where));
}

void compareMirroring(const ScanFile& scan, const StatedGeometry& images, ProblemList& problems) {
    const bool isMirrored = scan.projections.isMirrored;
    if (!images.isMirrored || *images.isMirrored == isMirrored) return;
    problems.warningOf(
        "detector.mirrored",
        fmt::format("is {}; the projections' file says that its images are {}, in "
                    "{}. The wrong one makes the volume a mirror image, or blurs it",
                    isMirrored, isMirrored ? "not mirrored" : "mirrored", images.where));
}

// The column as the file counts it.
void compareAxis(const ScanFile& scan, const StatedGeometry& images, ProblemList& problems) {
    constexpr double kSame = 1.5;
    if (!images.axis) return;
    const Detector& detector = scan.geometry.detector;
    const double ofDetector = scan.geometry.axisColumn();
    const double column = scan.projections.isMirrored
                              ? static_cast<double>(detector.columns - 1) - ofDetector
                              : ofDetector;
    for (const AxisReading& reading :
         axisReadings(*images.axis, detector.columns, detector.pitchMm[0]))
        if (std::abs(reading.column - column) <= kSame) return;
    problems.warningOf(
        "detector.offsetMm",
        fmt::format("puts the axis on column {:.1f}; the projections' file states "
                    "{:g}{}{}, in {}",
                    column, images.axis->number, images.axis->unit.empty() ? "" : " ",
                    images.axis->unit, images.axis->where));
}

void compareHalfField(const ScanFile& scan, const StatedGeometry& images, ProblemList& problems) {
    const std::string doubt = halfFieldDoubt(images, scan.geometry);
    if (doubt.empty()) return;
    problems.warningOf("detector.offsetMm", fmt::format("puts the axis on column {:.1f}, but {}",
                                                        scan.geometry.axisColumn(), doubt));
}

// The sense of rotation and the first angle are conventions; how far each view is from the first is
// not.
void compareAngles(const ScanGeometry& geometry, const StatedGeometry& images,
                   ProblemList& problems) {
    const std::vector<double>& stated = images.anglesDeg;
    const Index views = geometry.views();
    if (views < 2 || std::ssize(stated) != views || !images.angleDoubt.empty()) return;
    const double allowed =
        std::abs(stated.back() - stated.front()) / static_cast<double>(views) / 2;
    for (Index view = 0; view < views; ++view) {
        const double ofScan = std::abs(geometry.angleDeg(view) - geometry.angleDeg(0));
        const double ofFile = std::abs(stated[view] - stated.front());
        if (std::abs(ofScan - ofFile) <= allowed) continue;
        return problems.warningOf(
            "trajectory.arcDeg",
            fmt::format("has view {} at {:.4g}° from the first; the projections' file has it at "
                        "{:.4g}°, in {}",
                        view, ofScan, ofFile, images.where));
    }
}

void compareBadPixels(const ScanFile& scan, const StatedGeometry& images, ProblemList& problems) {
    if (!images.hasBadPixels || !scan.projections.badPixels.empty()) return;
    problems.warningOf("projections.badPixels",
                       fmt::format("is not stated; the projections' file has a mask of bad pixels, "
                                   "in {}: name it, \"badPixels\": \"{}\"",
                                   images.where, scan.projections.files));
}

void quoteUnused(const StatedGeometry& images, ProblemList& problems) {
    for (const StatedRemark& remark : images.remarks)
        if (remark.isUnused) problems.warningOf(remark.field, remark.sentence);
}

}  // namespace

void writeGeometryFile(const fs::path& path, GeometryFormat format,
                       const ExchangedGeometry& exchanged) {
    throwOnError(validate(exchanged.geometry), "The geometry cannot be exported yet");
    if (format == GeometryFormat::scan || format == GeometryFormat::leap ||
        format == GeometryFormat::tigre)
        throwError<InputError>(
            "Cannot export {}: a geometry is exported as .xml (RTK), .txt (ASTRA vectors) or .csv "
            "(poses). To write a scan.json, save the scan.",
            path.string());
    if (exchanged.geometry.isParallel() && format != GeometryFormat::astra)
        throwError<InputError>(
            "Cannot export {}: a parallel beam is exported as .txt (ASTRA vectors).",
            path.string());
    writeFileAtomically(path, exchangedText(format, exchanged));
}

std::string imagesNote(GeometryFormat format, const ExchangedGeometry& exchanged) {
    if (format != GeometryFormat::rtk) return {};
    const bool isTop = exchanged.firstRowIsTop.value_or(false);
    const bool isMirrored = exchanged.isMirrored.value_or(false);
    if (isTop && isMirrored)
        return "RTK takes the first row of an image for the lowest, and no image for mirrored; "
               "these projections have the top row first and are mirrored left to right: rotate "
               "them by 180° for RTK, or the volume will be blurred or in another place.";
    if (isMirrored)
        return "RTK takes no image for mirrored; these projections are mirrored left to right: "
               "mirror them for RTK, or the volume will be blurred or a mirror image.";
    if (!isTop) return {};
    return "RTK takes the first row of an image for the lowest; these projections have the top row "
           "first: turn them upside down for RTK, or the volume will be a mirror image.";
}

std::vector<Problem> contradictedByImages(const ScanFile& scan) {
    ProblemList problems;
    const std::optional<StatedGeometry> images = statedOrNothing(scan);
    if (!images) return {};
    compareRowOrder(scan, *images, problems);
    comparePitch(scan.geometry.detector, *images, problems);
    // Poses already contain the detector's position; an offset beside them is a correction.
    if (scan.geometry.hasAngles()) compareOffset(scan.geometry.detector, *images, problems);
    if (scan.geometry.hasAngles()) compareAxis(scan, *images, problems);
    if (scan.geometry.hasAngles()) compareHalfField(scan, *images, problems);
    if (scan.geometry.hasAngles()) compareAngles(scan.geometry, *images, problems);
    compareMirroring(scan, *images, problems);
    compareBadPixels(scan, *images, problems);
    quoteUnused(*images, problems);
    return std::move(problems).sorted();
}

}  // namespace gantry
