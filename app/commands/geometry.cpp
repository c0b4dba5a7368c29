#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/session.h"
#include "app/commands/commands.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/geometry/exchange.h"
#include "core/geometry/validate.h"
#include "core/io/scan_file/scan_file.h"

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
    bool json = false;
};

std::string formatOf(const std::string& asked, const fs::path& path) {
    if (asked != "auto") return asked;
    if (path.extension() == ".xml") return "rtk";
    return path.extension() == ".json" ? "gantry" : "astra";
}

// The detector, which files of other programs lack.
Detector detectorOf(const GeometryOptions& o, const std::optional<ScanFile>& scan) {
    Detector detector;
    if (scan) {
        detector.columns = scan->geometry.detector.columns;
        detector.rows = scan->geometry.detector.rows;
        detector.pitchMm = scan->geometry.detector.pitchMm;
    }
    if (o.detector) {
        detector.columns = (*o.detector)[0];
        detector.rows = (*o.detector)[1];
    }
    if (o.pitchMm) detector.pitchMm = *o.pitchMm;
    return detector;
}

ScanGeometry readGeometry(const GeometryOptions& o, const std::string& format,
                          const std::optional<ScanFile>& scan) {
    if (format == "gantry") return readScanFile(o.in).geometry;
    const Detector detector = detectorOf(o, scan);
    if (detector.columns < 1 || detector.rows < 1)
        throw InputError(fmt::format(
            "{} does not tell the detector's size. Give it with --detector CxR or --scan FILE.",
            o.in.string()));
    if (format == "astra") return readAstraVectors(o.in, detector.columns, detector.rows);
    if (!(detector.pitchMm[0] > 0 && detector.pitchMm[1] > 0))
        throw InputError(fmt::format(
            "{} does not tell the detector's pitch. Give it with --pitch-mm U,V or --scan FILE.",
            o.in.string()));
    return readRtkGeometry(o.in, detector);
}

std::string textOf(const GeometryOptions& o, const std::string& format,
                   const ScanGeometry& geometry, std::optional<ScanFile> scan) {
    if (format == "rtk") return toRtkXml(geometry);
    if (format == "astra") return toAstraVectors(geometry);
    if (!scan) {
        scan.emplace();
        scan->name = o.out.stem().string();
        scan->projections.files = o.projections;
        scan->projections.kind = ProjectionKind::attenuation;
    }
    scan->geometry = geometry;
    return toJson(*scan);
}

int convert(const GeometryOptions& o) {
    std::optional<ScanFile> scan;
    if (!o.scan.empty()) scan = readScanFile(o.scan);
    const std::string from = formatOf(o.from, o.in);
    const std::string to = formatOf(o.to, o.out);
    if (!scan && from == "gantry") scan = readScanFile(o.in);
    const ScanGeometry geometry = readGeometry(o, from, scan);
    throwOnError(validate(geometry), o.in.string());
    writeFileAtomically(o.out, textOf(o, to, geometry, scan));
    if (o.json) {
        const nlohmann::ordered_json document = {{"in", o.in.string()},
                                                 {"from", from},
                                                 {"out", o.out.string()},
                                                 {"to", to},
                                                 {"views", geometry.views()}};
        fmt::print("{}\n", shownJson(document));
    } else {
        fmt::print("{}: {} views as {}\n", o.out.string(), geometry.views(), to);
        if (to == "gantry" && !scan)
            fmt::print(
                "  It expects line integrals in {}; edit the field \"projections\" if yours are "
                "other ones.\n",
                o.projections);
    }
    return 0;
}

}  // namespace

void addGeometry(Command program) {
    auto options = std::make_shared<GeometryOptions>();
    GeometryOptions& o = *options;
    Command geometry = program.command("geometry", "Exchange geometries with other programs");
    Command command = geometry.command("convert", "Convert a geometry to another program's format");
    command.required("in", o.in, "IN", "An RTK .xml, ASTRA cone_vec text, or a scan.json");
    command.required("out", o.out, "OUT", "The file to write");
    command.choice(
        "--format", o.to, {"auto", "rtk", "astra", "gantry"},
        "Format to write; by default by OUT's ending: .xml rtk, .json gantry, else astra");
    command.choice("--from", o.from, {"auto", "rtk", "astra", "gantry"},
                   "Format to read; by default by IN's ending");
    command.option("--detector", o.detector, "CxR", "Detector columns and rows of IN");
    command.option("--pitch-mm", o.pitchMm, "U,V", "Detector pitch of an RTK geometry, mm");
    command.option("--scan", o.scan, "FILE",
                   "A scan.json that tells the detector, and all else that OUT's scan.json says");
    command.option("--projections", o.projections, "PATTERN", "Images that OUT's scan.json names");
    command.flag("--json", o.json, "Print one JSON document");
    command.examples(
        "  gantry geometry convert scan/scan.json geometry.xml\n"
        "  gantry geometry convert geometry.xml scan.json --detector 512x512 --pitch-mm 0.4,0.4\n"
        "  gantry geometry convert scan/scan.json vectors.txt --format astra");
    command.action([options](Session&) { return convert(*options); });
}

}  // namespace gantry
