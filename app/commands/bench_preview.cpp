#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/bench/preview_bench.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "core/base/text.h"
#include "core/base/this_machine.h"
#include "core/cpu/cpu_backend.h"
#include "core/plan/device_choice.h"

namespace gantry {

namespace {

struct BenchPreviewOptions {
    int device = 0;
    bool quick = false;
    bool json = false;
};

// The GPU of that number; nothing if there are none.
std::optional<DeviceFacts> gpuNumbered(const Backends& backends, int number) {
    if (backends.gpu.info.devices.empty()) return std::nullopt;
    ReconstructionRequest request;
    request.devices = {number};
    return chosenDevices(request, backends.gpu.info).front();
}

nlohmann::ordered_json toJson(const LiveTiming& timing) {
    return {{"medianSeconds", timing.medianSeconds}, {"slowestSeconds", timing.slowestSeconds}};
}

nlohmann::ordered_json toJson(const LiveFigures& f) {
    return {{"openSeconds", f.openSeconds},
            {"binning", f.binning},
            {"bytes", f.bytes},
            {"crosshair", toJson(f.crosshair)},
            {"centreFirst", toJson(f.centreFirst)},
            {"centre", toJson(f.centre)},
            {"filter", toJson(f.filter)}};
}

nlohmann::ordered_json toJson(const PreviewFigures& f, const std::optional<DeviceFacts>& gpu) {
    nlohmann::ordered_json document = {{"problem", f.problem.title()},
                                       {"device", nullptr},
                                       {"uploadSeconds", f.uploadSeconds},
                                       {"renderings", f.renderings},
                                       {"medianSeconds", f.medianSeconds},
                                       {"slowestSeconds", f.slowestSeconds},
                                       {"gups", f.gups()},
                                       {"relativeRmse", f.error}};
    if (gpu) document["device"] = gpu->name;
    return document;
}

void print(const PreviewFigures& f, const std::string& engine) {
    show("{}, {}\n{}", f.problem.title(), engine,
         textFields({{"views to the engine", formatDuration(f.uploadSeconds)},
                     {"a rendering", fmt::format("{:.1f} ms, the median of {}",
                                                 1e3 * f.medianSeconds, f.renderings)},
                     {"the slowest", fmt::format("{:.1f} ms", 1e3 * f.slowestSeconds)},
                     {"speed", fmt::format("{:.2f} GUPS", f.gups())},
                     {"error", fmt::format("{:.1e} relative RMSE", f.error)}}));
}

std::string shown(const LiveTiming& timing) {
    return fmt::format("{:.1f} ms, the slowest {:.1f} ms", 1e3 * timing.medianSeconds,
                       1e3 * timing.slowestSeconds);
}

void print(const LiveFigures& f) {
    show("\nLive slices, from a change to pictures\n{}",
         textFields({{"reading the scan", formatDuration(f.openSeconds)},
                     {"memory", fmt::format("{}, pixels averaged {} × {}", formatBytes(f.bytes),
                                            f.binning, f.binning)},
                     {"cross-hair moved", shown(f.crosshair)},
                     {"centre moved, first", shown(f.centreFirst)},
                     {"centre moved, true", shown(f.centre)},
                     {"filter changed", shown(f.filter)}}));
}

LivePlace placeOn(const std::optional<DeviceFacts>& gpu) {
    LivePlace place = {availableMemoryBytes(), std::nullopt};
    if (gpu) place.device = {gpu->number, gpu->freeBytes};
    return place;
}

int benchThePreview(const BenchPreviewOptions& o, Session& session) {
    const Backends& backends = session.backends();
    const std::optional<DeviceFacts> gpu = gpuNumbered(backends, o.device);
    const auto preview = gpu ? backends.gpu.makePreview(gpu->number) : backends.cpu.makePreview(0);
    // For a CPU the scan is smaller.
    const PreviewProblem problem = o.quick ? PreviewProblem{128, 30, 96}
                                   : gpu   ? PreviewProblem{}
                                           : PreviewProblem{512, 360, 512};
    ProgressLine progress("Measuring", o.json);
    const BenchContext context = {
        session.stop(), [&](double fraction) { progress.update(fraction); }, o.quick ? 0.1 : 2.0};
    const PreviewFigures figures = benchPreview(*preview, problem, context);
    progress.end();
    const LiveFigures live = benchLive(problem, placeOn(gpu), backends, context);
    if (o.json) {
        nlohmann::ordered_json document = toJson(figures, gpu);
        document["live"] = toJson(live);
        showJson(document);
    } else {
        print(figures, gpu ? gpu->name : cpuName());
        print(live);
    }
    return 0;
}

}  // namespace

void addBenchPreview(Command bench) {
    auto options = std::make_shared<BenchPreviewOptions>();
    Command command = bench.command(
        "preview", "The live preview: three planes again and again while the axis is moved");
    command.option("--device", options->device, "N", "GPU to measure, by its number");
    command.flag("--quick", options->quick, "Small planes from few views");
    command.flag("--json", options->json, "Print one JSON document");
    command.examples("  gantry bench preview\n  gantry bench preview --quick --json");
    command.action([options](Session& session) { return benchThePreview(*options, session); });
}

}  // namespace gantry
