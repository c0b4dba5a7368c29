#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/beside_scan.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "core/base/file.h"
#include "core/base/throw_error.h"
#include "core/geometry/check/validate.h"
#include "core/io/open_source.h"
#include "core/io/scan_file/scan_file.h"
#include "core/io/series/match_files.h"
#include "core/scan/geometry_file.h"
#include "core/scan/guess/described_scan.h"
#include "core/scan/open_scan.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

struct GeometryOptions {
    fs::path in;
    fs::path out;
    std::string from = "auto";
    std::string to = "auto";
    std::optional<std::array<Index, 2>> detector;
    std::optional<std::array<double, 2>> pitchMm;
    fs::path scan;
    std::string projections = "proj/*.tif";
    bool meanCircle = false;
    bool json = false;
};

std::optional<GeometryFormat> formatOf(const std::string& asked) {
    for (const DescriptionFormat& format : descriptionFormats())
        if (format.word == asked) return format.geometry;
    return std::nullopt;
}

std::string_view nameOf(GeometryFormat geometry) {
    const auto found =
        std::ranges::find(descriptionFormats(), geometry, &DescriptionFormat::geometry);
    return found->word;
}

std::vector<std::string> wordsToRead() {
    std::vector<std::string> words = {"auto"};
    for (const DescriptionFormat& format : descriptionFormats())
        words.emplace_back(format.word);
    return words;
}

std::vector<std::string> wordsToWrite() {
    std::vector<std::string> words = {"auto"};
    for (const DescriptionFormat& format : descriptionFormats())
        if (format.isWritten) words.emplace_back(format.word);
    return words;
}

// The scan on which OUT's scan.json is based: --scan's, IN's own, or a new one.
ScanFile startingScan(const GeometryOptions& o, GeometryFormat from) {
    if (!o.scan.empty()) return readScanFile(o.scan);
    if (from == GeometryFormat::scan) return describedScan(o.in);
    ScanFile scan;
    scan.folder = fs::absolute(o.out).parent_path();
    scan.name = o.out.stem().string();
    scan.projections.files = o.projections;
    scan.projections.kind = ProjectionKind::attenuation;
    scan.projections.firstRowIsTop = false;  // as RTK and ASTRA interpret images
    return scan;
}

// The detector, which files of other programs lack: from options, the images, or the scan.
Detector detectorOf(const GeometryOptions& o, const ScanFile& scan,
                    const std::optional<StatedGeometry>& images) {
    Detector detector;
    detector.columns = scan.geometry.detector.columns;
    detector.rows = scan.geometry.detector.rows;
    detector.pitchMm = scan.geometry.detector.pitchMm;
    if (images) {
        const SourceInfo info =
            openViews(matchViews(scan.folder, scan.projections.files), openOptionsOf(scan))
                .source->info();
        detector.columns = info.columns;
        detector.rows = info.rows;
        detector.pitchMm = images->pitchMm.value_or(detector.pitchMm);
    }
    if (o.detector) {
        detector.columns = (*o.detector)[0];
        detector.rows = (*o.detector)[1];
    }
    if (o.pitchMm) detector.pitchMm = *o.pitchMm;
    return detector;
}

void checkDetector(const GeometryOptions& o, GeometryFormat format, const Detector& detector) {
    if (format == GeometryFormat::scan || format == GeometryFormat::leap ||
        format == GeometryFormat::tigre)
        return;
    if (detector.columns < 1 || detector.rows < 1)
        throwError<InputError>(
            "{} does not tell the detector's size. Give it with --detector CxR or --scan FILE.",
            o.in.string());
    if (format == GeometryFormat::rtk && !(detector.pitchMm[0] > 0 && detector.pitchMm[1] > 0))
        throwError<InputError>(
            "{} does not tell the detector's pitch. Give it with --pitch-mm U,V or --scan FILE.",
            o.in.string());
}

// Prints what was taken from the images because the geometry's file lacks it.
void printTaken(const StatedGeometry& images, const ScanFile& scan) {
    const auto [u, v] = images.offsetMm.value_or(std::array{0.0, 0.0});
    show(
        "  Taken from {}, in {}: pitch {:g} × {:g} mm, the middle at {:g}, {:g} mm, the {} row "
        "first.\n",
        scan.projections.files, images.where, scan.geometry.detector.pitchMm[0],
        scan.geometry.detector.pitchMm[1], u, v, scan.projections.firstRowIsTop ? "top" : "bottom");
}

int convert(const GeometryOptions& o) {
    const std::optional<GeometryFormat> asked = formatOf(o.from);
    const GeometryFormat from = asked ? *asked : geometryFormatAt(o.in).geometry;
    const GeometryFormat to = formatOf(o.to).value_or(geometryFormatOf(o.out));
    ScanFile scan = startingScan(o, from);
    std::optional<StatedGeometry> images;
    if (from == GeometryFormat::rtk) images = statedByProjections(scan);
    if (images && o.pitchMm) images->pitchMm = *o.pitchMm;
    const Detector detector = detectorOf(o, scan, images);
    checkDetector(o, from, detector);
    ExchangedGeometry read = readGeometryFile(o.in, from, detector, images);
    throwOnError(validate(read.geometry), o.in.string());
    if (o.meanCircle) read.geometry = meanCircleOf(read.geometry);
    scan.geometry = read.geometry;
    read.firstRowIsTop = read.firstRowIsTop.value_or(scan.projections.firstRowIsTop);
    scan.projections.firstRowIsTop = *read.firstRowIsTop;
    read.isMirrored = read.isMirrored.value_or(scan.projections.isMirrored);
    scan.projections.isMirrored = *read.isMirrored;
    requireApartFromScan({o.out}, scan, {o.in, o.scan});
    if (to == GeometryFormat::scan) {
        // Its images stay those beside IN.
        if (from == GeometryFormat::scan && o.scan.empty())
            moveScan(scan, fs::absolute(o.out).lexically_normal());
        writeFileAtomically(o.out, toJson(scan));
    } else {
        writeGeometryFile(o.out, to, read);
    }
    const std::string note = imagesNote(to, read);
    if (o.json) {
        nlohmann::ordered_json document = {{"in", o.in.string()},
                                           {"from", nameOf(from)},
                                           {"out", o.out.string()},
                                           {"to", nameOf(to)},
                                           {"views", scan.geometry.views()}};
        if (!note.empty()) document["note"] = note;
        showJson(document);
        return 0;
    }
    show("{}: {} views as {}\n", o.out.string(), scan.geometry.views(), nameOf(to));
    if (images) printTaken(*images, scan);
    if (!note.empty()) show("  {}\n", note);
    if (to == GeometryFormat::scan && o.scan.empty() && from != GeometryFormat::scan)
        show(
            "  It expects line integrals in {}; edit the field \"projections\" if yours are other "
            "ones.\n",
            scan.projections.files);
    return 0;
}

}  // namespace

void addGeometry(Command program) {
    auto options = std::make_shared<GeometryOptions>();
    GeometryOptions& o = *options;
    Command geometry = program.command("geometry", "Exchange geometries with other programs");
    Command command = geometry.command("convert", "Convert a geometry to another program's format");
    command.required(
        "in", o.in, "IN",
        "An RTK .xml, ASTRA cone_vec text, LEAP parameters, TIGRE's geometry in a "
        ".mat of MATLAB, a .csv of poses, a scan.json, or a scanner's own description");
    command.required("out", o.out, "OUT", "The file to write");
    command.choice(
        "--format", o.to, wordsToWrite(),
        "Format to write; by default by OUT's ending: .xml rtk, .json gantry, .csv poses, else "
        "astra");
    command.choice("--from", o.from, wordsToRead(),
                   "Format to read; by default by IN's ending, and content");
    command.option("--detector", o.detector, "CxR", "Detector columns and rows of IN");
    command.option("--pitch-mm", o.pitchMm, "U,V", "Detector pitch of an RTK geometry, mm");
    command.option("--scan", o.scan, "FILE",
                   "A scan.json that tells the detector, and all else that OUT's scan.json says");
    command.option("--projections", o.projections, "PATTERN", "Images that OUT's scan.json names");
    command.flag("--mean-circle", o.meanCircle,
                 "Write the circle that lies nearest to the views' poses instead of these");
    command.flag("--json", o.json, "Print one JSON document");
    command.examples(
        "  gantry geometry convert scan/scan.json geometry.xml\n"
        "  gantry geometry convert geometry.xml scan.json --detector 512x512 --pitch-mm 0.4,0.4\n"
        "  gantry geometry convert scan/scan.json vectors.txt --format astra");
    command.action([options](Session&) { return convert(*options); });
}

}  // namespace gantry
