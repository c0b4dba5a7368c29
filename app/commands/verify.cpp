#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/reconstruction_options.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/base/system_fault.h"
#include "core/base/throw_error.h"
#include "core/geometry/check/validate.h"
#include "core/io/input_files.h"
#include "core/io/volume/open_sink.h"
#include "core/phantom/shapes_file.h"
#include "core/verify/perturbation.h"
#include "core/verify/verification.h"
#include "core/verify/verify_run.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

struct VerifyOptions {
    ReconstructionOptions request;
    std::string phantom = "all";
    fs::path shapes;
    double blurPx = 0;
    fs::path reconstructAs;
    std::vector<std::string> perturb;
    fs::path volume;
    std::string piece = "cylinder";
    fs::path spheres;
    fs::path limits;
    std::string name;
    fs::path report;
    fs::path volumes;
    bool progressLines = false;
    bool json = false;
};

// A fault that is put into a geometry, and its amount.
struct Wrong {
    const Perturbation* what;
    double amount;
};

// Parses "sod=+1%", "roll=1deg".
Wrong parseWrong(const std::string& text) {
    const std::size_t at = text.find('=');
    for (const Perturbation& known : perturbations()) {
        if (at == std::string::npos || text.substr(0, at) != known.name) continue;
        std::string_view number = std::string_view(text).substr(at + 1);
        for (const std::string_view unit : {known.unit, std::string_view("deg")})
            if (number.ends_with(unit)) number.remove_suffix(unit.size());
        if (number.starts_with('+')) number.remove_prefix(1);
        Wrong wrong = {&known, 0};
        readValue(std::string(number), "--perturb " + text, wrong.amount);
        return wrong;
    }
    throwError<InputError>(
        "--perturb is '{}'; it must be sod=, sdd=, offset=, roll= or tilt= and an amount, such as "
        "sod=+1%, offset=2px or roll=1deg.",
        text);
}

void makeWrong(const VerifyOptions& o, VerifyRequest& request) {
    if (o.reconstructAs.empty() && o.perturb.empty()) return;
    ScanGeometry changed = request.geometry;
    if (!o.reconstructAs.empty()) {
        changed = selected(readScanFile(fs::absolute(scanFileAt(o.reconstructAs))).geometry,
                           request.reconstruction.corrections.pixels);
        request.wrongOnPurpose.push_back(fmt::format(
            "Reconstructed on purpose with the geometry of {}.", o.reconstructAs.string()));
    }
    for (const std::string& text : o.perturb) {
        const Wrong wrong = parseWrong(text);
        changed = wrong.what->applied(changed, wrong.amount);
        request.wrongOnPurpose.push_back(wrongOnPurpose(*wrong.what, wrong.amount));
    }
    throwOnError(validate(changed), "the geometry to reconstruct with");
    request.reconstructAs = std::move(changed);
}

std::vector<TestPiece> piecesOf(const VerifyOptions& o, const VerifyRequest& request) {
    if (!o.shapes.empty()) return {pieceOf(readShapesFile(o.shapes))};
    std::vector<TestPiece> pieces;
    for (const std::string& name : testPieceNames())
        if (o.phantom == "all" || o.phantom == name)
            pieces.push_back(makeTestPiece(name, request.geometry, request.reconstruction.volume));
    return pieces;
}

void store(const Volume& volume, const fs::path& path) {
    OutputFormat format;
    format.path = path;
    const auto sink = openSink(format, volume.grid, SinkStart::fresh);
    sink->write(0, volume.span());
    sink->finish();
}

void storeVolumes(const VerifyOptions& o, const VerifiedPiece& piece) {
    std::error_code error;
    fs::create_directories(o.volumes, error);
    if (error) throwSystemFault(o.volumes, "cannot be made as a folder", error.value());
    store(piece.truth, o.volumes / (piece.piece.kind + "-truth.mha"));
    store(piece.result, o.volumes / (piece.piece.kind + ".mha"));
}

Json pieceJson(const VerifiedPiece& piece) {
    Json document = {{"piece", piece.piece.kind},
                     {"phantom", piece.piece.phantom.name},
                     {"engine", piece.engine},
                     {"seconds", piece.seconds}};
    document.update(toJson(piece.measures));
    return document;
}

// Prints the results, writes the report, and fails if a limit is missed.
int finish(const VerifyOptions& o, const Verification& verification, const Json& pieces) {
    if (!o.report.empty()) writeFileAtomically(o.report, verificationPage(verification));
    if (o.json) {
        Json document = toJson(verification);
        document["pieces"] = pieces;
        showJson(document);
    } else {
        show("{}\n{}", verification.title, textTable(figureTable(verification.figures)));
        for (const std::string& sentence : verification.wrongOnPurpose)
            show("  {}\n", sentence);
        for (const std::string& sentence : verification.sentences)
            show("  {}\n", sentence);
        show("  {}\n", verification.verdict());
        if (!o.report.empty()) show("  report   {}\n", o.report.string());
    }
    const std::vector<std::string> missed = missedLimits(verification.figures);
    if (!missed.empty()) throwError<Error>("A limit is missed: {}.", missed.front());
    if (!verification.faults.empty()) throw Error(verification.faults.front());
    return 0;
}

int verifyVolume(const VerifyOptions& o, const VerifyLimits& limits) {
    std::vector<KnownSphere> list;
    if (o.piece == "spheres") {
        if (o.spheres.empty())
            throw InputError(
                "--piece spheres needs --spheres FILE, a list of the spheres' true centres.");
        list = pieceOf(readShapesFile(o.spheres)).spheres;
        if (list.empty())
            throwError<InputError>("{}: all shapes must be spheres.", o.spheres.string());
    }
    std::optional<ScanGeometry> geometry;
    if (!o.request.scan.empty())
        geometry = readScanFile(fs::absolute(scanFileAt(o.request.scan))).geometry;
    const Volume volume = readVolume(o.volume);
    const PieceMeasures measures =
        measureVolume(volume, list, geometry ? &*geometry : nullptr, availableThreads());
    Json piece = {{"piece", o.piece}};
    piece.update(toJson(measures));
    return finish(o, verificationOf(o.volume.string(), volume, o.piece, measures, limits),
                  Json::array({piece}));
}

VerifyRequest requestOf(const VerifyOptions& o, const JobSpec& spec) {
    if (!(o.blurPx >= 0 && o.blurPx <= 50))
        throwError<InputError>("--blur-px is {}; it must be 0 to 50 pixels.", o.blurPx);
    VerifyRequest request;
    request.geometry = spec.geometry();
    request.skipViews = spec.scan.projections.skipViews;
    request.reconstruction = static_cast<const ReconstructionRequest&>(spec);
    makeWrong(o, request);
    request.blurPx = o.blurPx;
    return request;
}

void requireOutputsApart(const VerifyOptions& o) {
    ReadFiles read;
    for (const fs::path& file : {o.shapes, o.reconstructAs, o.spheres, o.limits})
        if (!file.empty()) read.add(file, "an input");
    if (!o.request.scan.empty()) addScanFiles(read, readScanFile(scanFileAt(o.request.scan)));
    if (!o.volume.empty()) addVolumeFiles(read, o.volume);
    if (!o.report.empty()) read.requireApart(o.report);
    if (o.volumes.empty()) return;
    for (const std::string& name : testPieceNames())
        for (const char* ending : {".mha", "-truth.mha"})
            read.requireApart(o.volumes / (name + ending));
}

int verify(const VerifyOptions& o, Session& session) {
    requireOutputsApart(o);
    const VerifyLimits limits = o.limits.empty() ? VerifyLimits() : readLimits(o.limits);
    if (!o.volume.empty()) return verifyVolume(o, limits);
    if (o.request.scan.empty())
        throw InputError(
            "Name a scan to verify, or the volume of a real test piece with --volume.");
    const JobSpec spec = makeJobSpec(o.request, session.stop());
    const VerifyRequest request = requestOf(o, spec);
    const std::vector<TestPiece> pieces = piecesOf(o, request);
    Verification verification =
        startVerification(o.name.empty() ? spec.scan.path.string() : o.name, request);
    Json found = Json::array();
    ProgressLine progress("Verifying", o.json);
    for (const TestPiece& piece : pieces) {
        const auto done = static_cast<double>(found.size());
        const auto all = static_cast<double>(pieces.size());
        const VerifiedPiece verified =
            verifyPiece(piece, request, {session.backends(), session.stop(), [&](double fraction) {
                                             const double share = (done + fraction) / all;
                                             progress.update(share);
                                             if (o.progressLines)
                                                 show(stderr, "progress {}\n", share);
                                         }});
        if (!o.volumes.empty()) storeVolumes(o, verified);
        addPiece(verification, verified, limits);
        found.push_back(pieceJson(verified));
    }
    progress.end();
    return finish(o, verification, found);
}

void addVerifyOptions(Command& command, VerifyOptions& o) {
    std::vector<std::string> phantoms = {"all"};
    phantoms.insert(phantoms.end(), testPieceNames().begin(), testPieceNames().end());
    command.choice("--phantom", o.phantom, phantoms,
                   "What is simulated: a Shepp-Logan head (Kak and Slaney's, with the contrasts of "
                   "Yu, Ye and Wang), a uniform cylinder, a grid of spheres, or all three");
    command.option("--shapes", o.shapes, "FILE",
                   "Simulate your own list of spheres, ellipsoids and cylinders instead");
    command.option("--blur-px", o.blurPx, "PX",
                   "Gaussian blur of the simulated views, standard deviation");
    command.option("--reconstruct-as", o.reconstructAs, "SCAN",
                   "Reconstruct with the geometry of another scan.json: what would be seen of it");
    command.repeated("--perturb", o.perturb, "NAME=AMOUNT",
                     "Reconstruct with a wrong geometry: sod=+1%, sdd=-0.1%, offset=2px, roll=1deg "
                     "or tilt=1deg; may be repeated");
    command.option("--volume", o.volume, "FILE",
                   "Measure this volume of a real test piece instead; SCAN then only tells the "
                   "geometry it was reconstructed with");
    command.choice("--piece", o.piece, {"cylinder", "spheres"}, "What that volume shows");
    command.option("--spheres", o.spheres, "FILE",
                   "The true centres and radii of its spheres, as a list of shapes");
    command.option("--limits", o.limits, "FILE", "Limits instead of the default ones, JSON");
    command.option("--name", o.name, "TEXT", "What the report calls the scan; by default its file");
    command.option("--report", o.report, "FILE", "Write a report of one page, HTML");
    command.option("--volumes", o.volumes, "FOLDER",
                   "Keep truth and reconstruction of each phantom there");
    command.flag("--progress-lines", o.progressLines,
                 "Write the share that is done to the error output, a line each, for programs");
    command.flag("--json", o.json, "Print one JSON document");
}

}  // namespace

void addVerify(Command program) {
    auto options = std::make_shared<VerifyOptions>();
    Command command = program.command(
        "verify", "Verify a scan's geometry and settings by test pieces, simulated or real");
    command.option("scan", options->request.scan, "SCAN",
                   "A scan.json, or the folder that holds it; its images are not read");
    addVerifyOptions(command, *options);
    addSettingOptions(command, options->request);
    command.examples(
        "  gantry verify scan/scan.json --report verification.html\n"
        "  gantry verify scan/ --phantom spheres --perturb sdd=+0.1%\n"
        "  gantry verify --volume cylinder.mha --piece cylinder\n"
        "  gantry verify scan/ --volume balls.mha --piece spheres --spheres balls.json\n"
        "Exit code 1 where a limit is missed.");
    command.action([options](Session& session) { return verify(*options, session); });
}

}  // namespace gantry
