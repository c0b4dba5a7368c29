#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/bench/preview_bench.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "app/wiring/wiring.h"
#include "core/base/json_text.h"
#include "core/base/text.h"

namespace gantry {

namespace {

struct BenchPreviewOptions {
    int device = 0;
    bool quick = false;
    bool json = false;
};

nlohmann::ordered_json toJson(const PreviewFigures& f, const DeviceList& list, int device) {
    nlohmann::ordered_json document = {{"problem", f.problem.title()},
                                       {"device", nullptr},
                                       {"uploadSeconds", f.uploadSeconds},
                                       {"renderings", f.renderings},
                                       {"medianSeconds", f.medianSeconds},
                                       {"slowestSeconds", f.slowestSeconds},
                                       {"gups", f.gups()},
                                       {"relativeRmse", f.error}};
    if (!list.devices.empty()) document["device"] = deviceNumbered(list, device).name;
    return document;
}

void print(const PreviewFigures& f, const std::string& engine) {
    fmt::print("{}, {}\n{}", f.problem.title(), engine,
               textFields({{"views to the engine", formatDuration(f.uploadSeconds)},
                           {"a rendering", fmt::format("{:.1f} ms, the median of {}",
                                                       1e3 * f.medianSeconds, f.renderings)},
                           {"the slowest", fmt::format("{:.1f} ms", 1e3 * f.slowestSeconds)},
                           {"speed", fmt::format("{:.2f} GUPS", f.gups())},
                           {"error", fmt::format("{:.1e} relative RMSE", f.error)}}));
}

int benchThePreview(const BenchPreviewOptions& o, Session& session) {
    const DeviceList list = findDevices();
    const auto projector = makePlaneProjector(list, o.device);
    const PreviewProblem problem = o.quick ? PreviewProblem{128, 30, 96} : PreviewProblem{};
    ProgressLine progress("Measuring", o.json);
    const BenchContext context = {
        session.stop(), [&](double fraction) { progress.update(fraction); }, o.quick ? 0.1 : 2.0};
    const PreviewFigures figures = benchPreview(*projector, problem, context);
    progress.end();
    if (o.json)
        fmt::print("{}\n", shownJson(toJson(figures, list, o.device)));
    else
        print(figures, list.devices.empty() ? cpuName() : deviceNumbered(list, o.device).name);
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
