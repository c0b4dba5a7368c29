#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/beside_scan.h"
#include "app/cli/field_options.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/align_drift.h"
#include "app/commands/commands.h"
#include "core/align/find_alignment.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/base/throw_error.h"
#include "core/job/job_fields.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

struct AlignCommandOptions {
    fs::path scan;
    fs::path reference;
    fs::path out;
    double rangePx = 0;
    std::string centreFrom = "auto";
    bool centreOnly = false;
    int threads = 0;
    bool json = false;
};

CentreFinder finderOf(const std::string& word) {
    if (word == "rays") return CentreFinder::rays;
    if (word == "pairs") return CentreFinder::pairs;
    return word == "slices" ? CentreFinder::slices : CentreFinder::automatic;
}

Json toJson(const Finding& finding) {
    Json document = {{"found", finding.isFound}, {"reason", finding.reason}};
    if (finding.isFound) {
        document["change"] = finding.value;
        document["uncertainty"] = finding.uncertainty;
    }
    document["tried"] = finding.tried;
    document["scores"] = finding.scores;
    return document;
}

std::string shown(const Finding& finding, const std::string& value) {
    return finding.isFound ? fmt::format("{}, from {}", value, finding.reason)
                           : "cannot tell: " + finding.reason;
}

void print(const AlignCommandOptions& o, const Alignment& found) {
    const Finding& centre = found.centre;
    show("{}\n", o.scan.string());
    std::vector<std::pair<std::string, std::string>> fields = {
        {"centre of rotation",
         shown(centre,
               fmt::format("column {:.2f} ± {:.2f}, {:+.2f} px from where the geometry has "
                           "it",
                           found.centreColumn + centre.value, centre.uncertainty, centre.value))}};
    if (!o.centreOnly) {
        const auto degrees = [](const Finding& f) {
            return shown(f, fmt::format("{:+.3f}° ± {:.3f}°", f.value, f.uncertainty));
        };
        fields.emplace_back("change of roll", degrees(found.roll));
        fields.emplace_back("change of tilt", degrees(found.tilt));
    }
    show("{}", textFields(fields));
}

void writeAligned(const AlignCommandOptions& o, ScanFile scan, const Alignment& found) {
    scan.geometry = withAlignment(scan.geometry, found);
    writeFileAtomically(o.out, toJson(scan));
}

void refuseBesideReference(const AlignCommandOptions& o) {
    const char* option = o.centreOnly             ? "--centre-only"
                         : o.rangePx != 0         ? "--range-px"
                         : o.centreFrom != "auto" ? "--centre-from"
                                                  : nullptr;
    if (option)
        throwError<InputError>(
            "{} is about the centre of rotation, and --reference finds a drift; ask for one after "
            "the other.",
            option);
}

int align(const AlignCommandOptions& o, Session& session) {
    if (!o.reference.empty()) {
        refuseBesideReference(o);
        return alignDrift({o.scan, o.reference, o.out, o.threads, o.json}, session);
    }
    if (!(o.rangePx >= 0))
        throwError<InputError>("--range-px {}: the range is a number of pixels, 0 or more.",
                               o.rangePx);
    if (!o.out.empty()) requireBesideScan("--out", o.out, o.scan);
    const ScanFile description = readScanFile(o.scan);
    requireApartFromScan({o.out}, description);
    const OpenScan scan = openScan(description, session.stop());
    const Backends& backends = session.backends();
    const auto preview = backends.gpu.info.devices.empty()
                             ? backends.cpu.makePreview(0)
                             : backends.gpu.makePreview(backends.gpu.info.devices.front().number);
    ProgressLine progress("Aligning", o.json);
    AlignmentOptions options;
    options.centreFinder = finderOf(o.centreFrom);
    options.centreRangePx = o.rangePx;
    options.findRoll = !o.centreOnly;
    options.threads = o.threads > 0 ? o.threads : availableThreads();
    options.onProgress = [&](const std::string&, double fraction) { progress.update(fraction); };
    options.stop = session.stop();
    const Alignment found = findAlignment(scan, *preview, options);
    progress.end();
    if (!o.out.empty()) writeAligned(o, scan.description, found);
    if (o.json) {
        Json document = {{"scan", o.scan.string()},
                         {"declaredColumn", found.centreColumn},
                         {"centrePx", toJson(found.centre)}};
        if (!o.centreOnly) {
            document["rollDeg"] = toJson(found.roll);
            document["tiltDeg"] = toJson(found.tilt);
        }
        showJson(document);
    } else {
        print(o, found);
    }
    return 0;
}

}  // namespace

void addAlign(Command program) {
    auto options = std::make_shared<AlignCommandOptions>();
    AlignCommandOptions& o = *options;
    Command command = program.command(
        "align", "Find the centre of rotation and how the detector is mounted, from the views");
    command.required("scan", o.scan, "SCAN", "A scan.json");
    command.option("--out", o.out, "FILE", "Write a scan.json with what was found, beside SCAN");
    command.option("--reference", o.reference, "FILE",
                   "The scan.json of a few views that were taken at once after SCAN, at angles of "
                   "it: find how far SCAN drifted from them, instead of the centre");
    command.option("--range-px", o.rangePx, "PX",
                   "How far to look for the centre on either side; 0: a tenth of the columns");
    command.choice("--centre-from", o.centreFrom, {"auto", "rays", "pairs", "slices"},
                   "What tells the centre: rays measured from both ends, views half a turn apart "
                   "(parallel beam), the sharpness of slices; auto: the first that can");
    command.flag("--centre-only", o.centreOnly, "Leave the roll and the tilt as they are");
    addRow(command, jobFields(), "threads", o.threads);
    command.flag("--json", o.json, "Print one JSON document, with the curves of the search");
    command.examples(
        "  gantry align scan/scan.json\n"
        "  gantry align scan/scan.json --out scan/aligned.json\n"
        "  gantry align scan/scan.json --reference reference/scan.json --out scan/still.json");
    command.action([options](Session& session) { return align(*options, session); });
}

}  // namespace gantry
