#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "app/cli/field_options.h"
#include "app/cli/reconstruction_options.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "core/base/clock.h"
#include "core/base/field_word.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/base/this_machine.h"
#include "core/io/input_files.h"
#include "core/job/job_fields.h"
#include "core/plan/device_choice.h"
#include "core/plan/host_memory.h"
#include "core/scan/open_scan.h"
#include "core/scan/stack/load_view_stack.h"
#include "core/simulate/project_volume.h"

namespace gantry {

namespace {

namespace fs = std::filesystem;

struct ProjectOptions {
    fs::path volume;
    fs::path scan;
    fs::path out;
    bool residual = false;
    std::string compression = "none";
    std::optional<int> device;
    std::string memory;
    std::string engine{kEngineWords[0].word};
    int threads = 0;
    bool force = false;
    bool json = false;
};

// Sums of squares over the views that are used.
struct ViewSquares {
    double measured = 0;
    double residual = 0;
    Index pixels = 0;

    ViewSquares& operator+=(const ViewSquares& other) {
        measured += other.measured;
        residual += other.residual;
        pixels += other.pixels;
        return *this;
    }
    [[nodiscard]] double rms(double squares) const {
        return pixels > 0 ? std::sqrt(squares / static_cast<double>(pixels)) : 0;
    }
};

// Turns a batch of projected views into the measured ones minus these; views that are left out
// become 0.
ViewSquares toResidual(const OpenScan& scan, IndexRange views, Span3<float> batch, int threads,
                       const std::stop_token& stop) {
    const Index pixels = batch.size(1) * batch.size(2);
    std::vector<Index> chosen;   // of the source's
    std::vector<float*> places;  // of each
    for (Index view = views.begin; view < views.end; ++view) {
        float* place = batch.row(view - views.begin, 0);
        if (const std::optional<Index> used = scan.sourceView(view)) {
            chosen.push_back(*used);
            places.push_back(place);
        } else {
            std::fill_n(place, pixels, 0.0F);
        }
    }
    std::vector<ViewSquares> squares(chosen.size());
    visitViews(
        scan, chosen, {0, batch.size(1)}, threads,
        [&](std::size_t i, Span3<const float> measured) {
            squares[i].pixels = pixels;
            for (Index p = 0; p < pixels; ++p) {
                const double value = measured.data()[p];
                const double residual = value - places[i][p];
                squares[i].measured += value * value;
                squares[i].residual += residual * residual;
                places[i][p] = static_cast<float>(residual);
            }
        },
        [](double) {}, stop);
    ViewSquares all;
    for (const ViewSquares& one : squares)
        all += one;
    return all;
}

// The GPU that projects, if one does: the one with most free memory, if none is named.
std::optional<DeviceFacts> deviceFor(const ProjectOptions& o, Session& session) {
    if (o.engine == kCpuWord) {
        if (!o.device) return {};
        throw InputError(
            fmt::format("--device {} names a GPU, and --engine cpu uses none.", *o.device),
            {.advice = "Leave one of them out.", .field = "--device"});
    }
    const Backends& backends = session.backends();
    const EngineInfo& gpus = backends.gpu.info;
    if (gpus.devices.empty()) {
        if (o.engine != kGpuWord && !o.device) return {};
        throw InputError(fmt::format("No GPU can be used: {}.", backends.whyNoGpu),
                         {.advice = "Use --engine cpu.", .field = "--engine"});
    }
    ReconstructionRequest request;
    if (o.device) request.devices = {*o.device};
    return std::ranges::max(chosenDevices(request, gpus), {}, &DeviceFacts::freeBytes);
}

Index memoryFor(const ProjectOptions& o) {
    const Index limit = o.memory.empty() ? 0 : parseBytes(o.memory, "--memory");
    return limit > 0 ? limit : usualMemoryBytes(availableMemoryBytes());
}

void print(const ProjectOptions& o, const VolumeProjectionSpec& spec,
           const VolumeProjectionResult& result, const ViewSquares& squares,
           const std::optional<DeviceFacts>& device, double seconds) {
    const Detector& detector = spec.geometry.detector;
    if (o.json) {
        nlohmann::ordered_json document = {{"scan", result.scanFile.string()},
                                           {"volume", o.volume.string()},
                                           {"views", spec.geometry.views()},
                                           {"columns", detector.columns},
                                           {"rows", detector.rows},
                                           {"bytes", result.bytes},
                                           {"slabSlices", result.slabSlices},
                                           {"memoryBytes", result.memoryBytes},
                                           {"engine", device ? device->name : kCpuWord},
                                           {"seconds", seconds}};
        if (o.residual) {
            document["measuredRms"] = squares.rms(squares.measured);
            document["residualRms"] = squares.rms(squares.residual);
        }
        showJson(document);
        return;
    }
    show("{}: {} views of {} × {} pixels of {}, {}, in {}\n", result.scanFile.string(),
         spec.geometry.views(), detector.columns, detector.rows, o.volume.string(),
         formatBytes(result.bytes), formatDuration(seconds));
    if (o.residual)
        show(
            "They are the measured line integrals, of RMS {:.4g}, minus the projected ones: RMS "
            "{:.4g}.\n",
            squares.rms(squares.measured), squares.rms(squares.residual));
}

int project(const ProjectOptions& o, Session& session) {
    const ScanFile description = readScanFile(scanFileAt(o.scan));
    ReadFiles read;
    addScanFiles(read, description);
    addVolumeFiles(read, o.volume);
    read.requireApart(o.out);

    const int threads = o.threads > 0 ? o.threads : availableThreads();
    VolumeProjectionSpec spec;
    spec.volume = o.volume;
    spec.scan = description.path;
    spec.name = description.name;
    spec.geometry = description.geometry;
    spec.deflate = o.compression == "deflate";
    spec.memoryBytes = memoryFor(o);
    std::optional<OpenScan> measured;
    ViewSquares squares;
    if (o.residual) {
        measured = openScan(description, session.stop());
        spec.changedInto = "measured line integrals minus projected ones";
        spec.skipViews = description.projections.skipViews;
        spec.change = [&](IndexRange views, Span3<float> batch) {
            squares += toResidual(*measured, views, batch, threads, session.stop());
        };
    }
    const std::optional<DeviceFacts> device = deviceFor(o, session);
    if (device) {
        spec.deviceMemoryBytes = usualDeviceBytes(device->freeBytes);
        spec.makeProjector = [&](ProjectedViews views, int used) {
            return session.backends().gpu.makeProjector(device->number, std::move(views), used);
        };
    }
    ProgressLine progress("Projecting", o.json);
    SimulationContext context;
    context.threads = threads;
    context.stop = session.stop();
    context.onProgress = [&](double fraction) { progress.update(fraction); };
    const std::int64_t begin = nowNs();
    const VolumeProjectionResult result = projectVolume(spec, o.out, o.force, context);
    progress.end();
    print(o, spec, result, squares, device, secondsSince(begin));
    return 0;
}

}  // namespace

void addProject(Command program) {
    auto options = std::make_shared<ProjectOptions>();
    ProjectOptions& o = *options;
    Command command = program.command(
        "project", "Project a volume into the views of a scan: its line integrals, as TIFF files");
    command.required("volume", o.volume, "VOLUME", "Any volume that Gantry reads");
    command.required("--scan", o.scan, "SCAN",
                     "A scan.json, or a folder that holds one: the geometry of the views");
    command.required("--out", o.out, "FOLDER", "Where the views go: a new or empty folder");
    command.flag("--residual", o.residual,
                 "Write what SCAN has measured minus what the volume projects to");
    command.choice("--compression", o.compression, {"none", "deflate"}, "Of the TIFF files");
    addRow(command, jobFields(), "engine", o.engine);
    command.option("--device", o.device, "N",
                   "GPU that projects, by its number; by default the one with most free memory");
    addRow(command, jobFields(), "memoryBytes", o.memory,
           "a volume that does not fit is read in parts");
    addRow(command, jobFields(), "threads", o.threads);
    command.flag("--force", o.force,
                 "Replace earlier projections in that folder, unless it holds other files, too");
    command.flag("--json", o.json, "Print one JSON document");
    command.examples(
        "  gantry project volume.mha --scan scan/scan.json --out projected/\n"
        "  gantry project volume.mha --scan scan/ --residual --out residual/");
    command.action([options](Session& session) { return project(*options, session); });
}

}  // namespace gantry
