#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/field_options.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/geometry/check/validate.h"
#include "core/io/scan_file/scan_fields.h"
#include "core/job/job_fields.h"
#include "core/simulate/jitter.h"
#include "core/simulate/simulate_scan.h"

namespace gantry {

namespace {

struct SimulateOptions {
    SimulationSpec spec;
    std::array<Index, 2> detector = {256, 256};
    std::array<double, 3> centerMm = {0, 0, 0};
    std::optional<double> pitchMm;
    std::optional<double> arcDeg;
    std::string beam = "cone";
    bool clockwise = false;
    std::string kind = "counts";
    std::string format = "tiff";
    std::string compression = "none";
    std::filesystem::path out;
    bool force = false;
    std::array<double, 2> stripes = {0, 0.02};
    std::array<double, 3> moduleGains = {1, 1, 0.02};
    std::array<double, 2> zingers = {0, 20000};
    std::array<double, 2> lag = {0, 1};
    double jitterMm = 0;
    double jitterDeg = 0;
    int threads = 0;
    bool json = false;
};

// The whole detector by default, whatever its number of pixels.
constexpr double kDetectorWidthMm = 410;

// A parallel beam takes the cone's angles, over half a turn unless another arc is given.
void settleTrajectory(const SimulateOptions& options, ScanGeometry& geometry) {
    const bool isParallel = options.beam == "parallel";
    GantryAngles angles = geometry.angles();
    angles.arcDeg = options.arcDeg.value_or(isParallel ? 180 : 360);
    if (options.clockwise) angles.arcDeg = -angles.arcDeg;
    if (isParallel) geometry.trajectory = ParallelBeam{angles};
    geometry.angles() = angles;
}

// A number in front of others of an option: "20" of "--stripes 20,0.02".
Index numberOf(const char* option, double value) {
    if (value != std::floor(value) || std::abs(value) > 1e15)
        throwError<InputError>("{}: the number in front must be a whole one, and {} was asked for.",
                               option, value);
    return static_cast<Index>(value);
}

void settleFaults(const SimulateOptions& options, SimulatedFaults& faults) {
    faults.stripes = numberOf("--stripes", options.stripes[0]);
    faults.stripeShare = options.stripes[1];
    for (const std::size_t side : {0, 1})
        faults.modules[side] = numberOf("--module-gains", options.moduleGains[side]);
    faults.moduleShare = options.moduleGains[2];
    faults.zingers = numberOf("--zingers", options.zingers[0]);
    faults.zingerCounts = options.zingers[1];
    faults.lag = {options.lag[0], options.lag[1]};
}

int simulate(SimulateOptions& options, Session& session) {
    SimulationSpec& spec = options.spec;
    Detector& detector = spec.geometry.detector;
    detector.columns = options.detector[0];
    detector.rows = options.detector[1];
    const double pitch = options.pitchMm.value_or(
        kDetectorWidthMm / static_cast<double>(std::max<Index>(1, detector.columns)));
    detector.pitchMm = {pitch, pitch};
    settleTrajectory(options, spec.geometry);
    if (options.jitterMm != 0 || options.jitterDeg != 0) {
        throwOnError(validate(spec.geometry), "The scan");
        spec.geometry = jittered(spec.geometry, options.jitterMm, options.jitterDeg, spec.seed);
    }
    spec.phantom.placement.centerMm = {options.centerMm[0], options.centerMm[1],
                                       options.centerMm[2]};
    settleFaults(options, spec.faults);
    spec.kind = options.kind == "counts" ? ProjectionKind::counts : ProjectionKind::attenuation;
    spec.layout = options.format == "tiff" ? SimulationSpec::Layout::files
                                           : SimulationSpec::Layout::multiPage;
    spec.deflate = options.compression == "deflate";
    spec.name = spec.phantom.phantom;

    ProgressLine progress("Simulating", options.json);
    SimulationContext context;
    context.threads = options.threads > 0 ? options.threads : availableThreads();
    context.stop = session.stop();
    context.onProgress = [&](double fraction) { progress.update(fraction); };
    const std::int64_t begin = nowNs();
    const SimulationResult result = simulateScan(spec, options.out, options.force, context);
    const double seconds = secondsSince(begin);
    progress.end();

    if (options.json) {
        const nlohmann::ordered_json truth =
            result.truthFile.empty() ? nlohmann::ordered_json()
                                     : nlohmann::ordered_json(result.truthFile.string());
        const nlohmann::ordered_json document = {{"scan", result.scanFile.string()},
                                                 {"phantom", spec.phantom.phantom},
                                                 {"views", spec.geometry.views()},
                                                 {"columns", detector.columns},
                                                 {"rows", detector.rows},
                                                 {"bytes", result.bytes},
                                                 {"clippedPixels", result.clippedPixels},
                                                 {"truth", truth},
                                                 {"seconds", seconds}};
        showJson(document);
        return 0;
    }
    show("{}: {} views of {} × {} pixels of the phantom {}, {}, in {}\n", result.scanFile.string(),
         spec.geometry.views(), detector.columns, detector.rows, spec.phantom.phantom,
         formatBytes(result.bytes), formatDuration(seconds));
    if (result.clippedPixels > 0)
        show("{} pixels are clipped at 65535 counts. Lower --flat-counts.\n", result.clippedPixels);
    if (!result.truthFile.empty())
        show("What is wrong with it is in {}.\n", result.truthFile.string());
    return 0;
}

void addGeometryOptions(Command& command, SimulateOptions& o) {
    ScanGeometry& g = o.spec.geometry;
    CircularCone& cone = g.cone();
    cone.views = 360;
    cone.sourceToIsocenterMm = 600;
    cone.sourceToDetectorMm = 1200;
    command.option("--views", cone.views, "N", "Number of views");
    command.option("--detector", o.detector, "CxR", "Detector columns and rows");
    command.option("--pitch-mm", o.pitchMm, "MM", "Detector pitch; by default 410 mm / columns");
    command.choice("--beam", o.beam, wordsOf(scanFormFields(), "trajectory.type"),
                   "Rays from a source at these distances, or parallel ones, as of a synchrotron");
    const auto addFieldOf = [&](std::string_view path, auto& target) {
        addRow(command, scanFileFields(), path, target);
    };
    addFieldOf("trajectory.sourceToIsocenterMm", cone.sourceToIsocenterMm);
    addFieldOf("trajectory.sourceToDetectorMm", cone.sourceToDetectorMm);
    command.option("--arc-deg", o.arcDeg, "DEG",
                   "Arc that the views cover; by default 360, 180 of parallel rays");
    addFieldOf("trajectory.startDeg", cone.startDeg);
    command.flag("--clockwise", o.clockwise, "Rotate clockwise, seen from above");
    addFieldOf("detector.offsetMm", g.detector.offsetMm);
    addFieldOf("trajectory.sourceOffsetMm", cone.sourceOffsetMm);
    addFieldOf("detector.rollDeg", g.detector.rollDeg);
    addRow(command, scanFileFields(), "detector.tiltDeg", g.detector.tiltDeg,
           "of a parallel beam the axis leans so far along the beam");
    addFieldOf("detector.slantDeg", g.detector.slantDeg);
    command.option("--jitter-mm", o.jitterMm, "MM",
                   "Move source and detector of each view by up to so much along every axis; "
                   "scan.json then has a pose a view");
    command.option("--jitter-deg", o.jitterDeg, "DEG",
                   "Turn the detector of each view by up to so much about its axes");
    command.option("--center-of-rotation-error-mm", o.spec.axisErrorMm, "MM",
                   "How far the axis lies from where scan.json says");
}

void addDetectorOptions(Command& command, SimulateOptions& o) {
    command.choice("--kind", o.kind, wordsOf(scanFileFields(), "projections.kind"),
                   "16-bit counts with dark and flat fields, or 32-bit line integrals");
    command.option("--flat-counts", o.spec.flatCounts, "COUNTS", "Brightest open beam");
    command.option("--dark-counts", o.spec.darkCounts, "COUNTS", "Signal without a beam");
    command.option("--flux", o.spec.flux, "FIRST,LAST",
                   "Beam of the first and the last view as shares of the flat field's; even in "
                   "between");
    command.option("--flat-drift", o.spec.faults.flatDrift, "SHARE",
                   "By what share the open beam is brighter at the detector's right edge after the "
                   "scan, and darker at its left one, than before; flat frames show both");
    command.option("--frames", o.spec.fieldFrames, "N", "Dark frames, and flat frames");
    command.option("--noise", o.spec.photons, "PHOTONS",
                   "Photon noise for that many photons per pixel in the open beam; 0: none");
    command.option("--readout-noise", o.spec.readoutNoise, "COUNTS",
                   "Standard deviation of the electronics");
    command.option("--seed", o.spec.seed, "N", "Seed of noise and pixel structure");
    command.option("--dead-pixels", o.spec.deadPixels, "N",
                   "Pixels without signal, listed in bad-pixels.tif");
}

void addFaultOptions(Command& command, SimulateOptions& o) {
    SimulatedFaults& faults = o.spec.faults;
    command.option("--stripes", o.stripes, "N,SHARE",
                   "N columns whose gain is higher or lower by SHARE in all views than in the flat "
                   "field, which makes rings");
    command.option("--module-gains", o.moduleGains, "COLUMNS,ROWS,SHARE",
                   "A detector of so many modules along rows and columns, whose gains in all views "
                   "differ from those in the flat field by up to SHARE");
    command.option(
        "--module-step", faults.moduleStep, "SHARE",
        "By how much an eighth of the columns, side by side, is brighter from the middle "
        "view on");
    command.option("--shift-px", faults.viewShiftPx, "PX",
                   "Shift each view by up to so many pixels along rows and columns, as where the "
                   "source's spot moves; scan.json does not know it");
    command.option("--drift-px", faults.driftPx, "U,V",
                   "Shift the views slowly, the last one by so many pixels along rows and columns, "
                   "fast at first, as a source that warms up; scan.json does not know it");
    command.option("--lag", o.lag, "SHARE,VIEWS",
                   "A detector that gives SHARE of a view's signal with the views after it; after "
                   "VIEWS of them 1/e of what is still to come is left");
    command.option("--stuck-pixels", faults.stuckPixels, "N",
                   "Pixels with the same counts in all images, listed in truth.json alone");
    command.option("--zingers", o.zingers, "N,COUNTS",
                   "N single pixels in single views that are brighter by COUNTS");
}

}  // namespace

void addSimulate(Command program) {
    auto options = std::make_shared<SimulateOptions>();
    SimulateOptions& o = *options;
    Command command = program.command(
        "simulate",
        "Simulate the scan of a phantom: scan.json and TIFF files, as a scanner stores them");
    command.choice("--phantom", o.spec.phantom.phantom, phantomNames(), "What is scanned");
    command.option("--phantom-scale-mm", o.spec.phantom.placement.scaleMm, "MM",
                   "Length of the phantom's unit (its half height is about 0.9)");
    command.option("--phantom-center-mm", o.centerMm, "X,Y,Z", "Where its centre lies, mm");
    command.option("--density", o.spec.phantom.placement.density, "1/MM",
                   "Factor on its values: 0.01 makes Kak-Slaney's 2.0 a 0.02 /mm");
    addGeometryOptions(command, o);
    addDetectorOptions(command, o);
    addFaultOptions(command, o);
    command.choice("--format", o.format, {"tiff", "multipage"},
                   "One TIFF file per image, or all images of a kind in one");
    command.choice("--compression", o.compression, {"none", "deflate"}, "Of the TIFF files");
    command.required("--out", o.out, "FOLDER", "Where the scan goes: a new or empty folder");
    command.flag(
        "--force", o.force,
        "Replace an earlier simulation in that folder, unless the folder holds other files, too");
    addRow(command, jobFields(), "threads", o.threads);
    command.flag("--json", o.json, "Print one JSON document");
    command.examples(
        "  gantry simulate --phantom shepp-logan --views 360 --detector 256x256 --out scan/\n"
        "  gantry simulate --views 110 --arc-deg 240 --noise 20000 --out short-scan/\n"
        "  gantry simulate --beam parallel --views 400 --out synchrotron/\n"
        "  gantry simulate --offset-mm 80,0 --kind attenuation --out offset-scan/\n"
        "  gantry simulate --detector 196x256 --pitch-mm 1.6 --offset-mm 32,0 --out cut-scan/\n"
        "  gantry simulate --stripes 20,0.02 --zingers 5000,20000 --flat-drift 0.1 --out faults/");
    command.action([options](Session& session) { return simulate(*options, session); });
}

}  // namespace gantry
