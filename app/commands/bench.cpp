#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/bench/kernel_bench.h"
#include "app/bench/run_bench.h"
#include "app/cli/desktop.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/cpu/cpu_backend.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

struct BenchOptions {
    bool quick = false;
    bool json = false;
    fs::path folder = fs::temp_directory_path();
    bool onlyGpu = false;
    fs::path pictures;
};

struct CpuFigures {
    std::vector<KernelFigures> kernels;
    CoreFigures cores;
    RunFigures run;
};

Json toJson(const CpuFigures& figures) {
    Json kernels = Json::array();
    for (const KernelFigures& k : figures.kernels)
        kernels.push_back({{"problem", k.problem.title()},
                           {"level", std::string(name(k.level))},
                           {"plainGups", k.plainGups},
                           {"columnsGups", k.columnsGups},
                           {"ratio", k.ratio()},
                           {"generalNearCircleGups", k.nearGups},
                           {"generalAnyPoseGups", k.anyGups},
                           {"generalNoiseRelativeRmse", k.generalError},
                           {"uniformRelativeRmse", k.uniformError},
                           {"noiseRelativeRmse", k.noiseError}});
    const CoreFigures& c = figures.cores;
    const RunFigures& r = figures.run;
    return {{"cpu", cpuName()},
            {"kernels", kernels},
            {"cores",
             {{"problem", c.problem.title()},
              {"threads", c.threads},
              {"oneGups", c.oneGups},
              {"allGups", c.allGups},
              {"efficiency", c.efficiency()}}},
            {"run",
             {{"problem", r.problem.title()},
              {"cores", r.cores},
              {"wallSeconds", r.wallSeconds},
              {"cpuSeconds", r.cpuSeconds},
              {"wallOverCpuShare", r.ratio()},
              {"overlapFactor", r.overlapFactor},
              {"gups", r.gups}}}};
}

// Prints views that are on no circle beside those that are.
void print(const std::vector<KernelFigures>& kernels) {
    TextRows rows = {{"Problem", "level", "near a circle, GUPS", "/ columns", "any pose, GUPS",
                      "/ columns", "error, noise"}};
    for (const KernelFigures& k : kernels)
        rows.push_back(
            {k.problem.title(), std::string(name(k.level)), fmt::format("{:.2f}", k.nearGups),
             fmt::format("{:.2f}", k.nearGups / k.columnsGups), fmt::format("{:.2f}", k.anyGups),
             fmt::format("{:.2f}", k.anyGups / k.columnsGups),
             fmt::format("{:.1e}", k.generalError)});
    show(
        "\nOne thread: the general kernel on calibrated poses, within 1 mm and 0.5° of a circle, "
        "and within 10 mm and 20°\n{}",
        textTable(rows));
}

void print(const CpuFigures& figures) {
    show(
        "{}; GUPS are 2³⁰ voxel updates a second\n\nOne thread: cpu_columns against a plain "
        "scalar loop of the same compiler flags\n",
        cpuName());
    TextRows rows = {{"Problem", "level", "plain GUPS", "columns GUPS", "times as fast",
                      "error, uniform", "error, noise"}};
    for (const KernelFigures& k : figures.kernels)
        rows.push_back({k.problem.title(), std::string(name(k.level)),
                        fmt::format("{:.3f}", k.plainGups), fmt::format("{:.2f}", k.columnsGups),
                        fmt::format("{:.1f}", k.ratio()), fmt::format("{:.1e}", k.uniformError),
                        fmt::format("{:.1e}", k.noiseError)});
    show("{}  error: relative RMSE against the reference in double precision\n", textTable(rows));
    print(figures.kernels);
    const CoreFigures& c = figures.cores;
    show("\nAll cores against one, {}\n{}", c.problem.title(),
         textTable({{"Threads", "one: GUPS", "all: GUPS", "all / (threads × one)"},
                    {fmt::format("{}", c.threads), fmt::format("{:.2f}", c.oneGups),
                     fmt::format("{:.2f}", c.allGups), fmt::format("{:.2f}", c.efficiency())}}));
    const RunFigures& r = figures.run;
    show("\nWhole run from files to file, {}\n{}", r.problem.title(),
         textTable({{"Cores", "wall", "CPU time", "wall / (CPU time / cores)", "δ", "GUPS"},
                    {fmt::format("{}", r.cores), formatDuration(r.wallSeconds),
                     formatDuration(r.cpuSeconds), fmt::format("{:.2f}", r.ratio()),
                     fmt::format("{:.2f}", r.overlapFactor), fmt::format("{:.2f}", r.gups)}}));
}

int benchCpu(const BenchOptions& o, Session& session) {
    const std::vector<BenchProblem> problems =
        o.quick ? std::vector<BenchProblem>{{128, 64, 128}}
                : std::vector<BenchProblem>{{256, 256, 256}, {512, 128, 512}};
    const BenchProblem whole = o.quick ? BenchProblem{128, 90, 128} : BenchProblem{512, 360, 512};
    ProgressLine progress("Measuring", o.json);
    const std::stop_token stop = session.stop();
    const double parts = static_cast<double>(problems.size()) + 2;
    double part = 0;
    const BenchContext context = {
        stop, [&](double fraction) { progress.update((part + fraction) / parts); },
        o.quick ? 0.1 : 2.0};
    CpuFigures figures;
    for (const BenchProblem& problem : problems) {
        for (const KernelFigures& one : benchKernels(problem, context))
            figures.kernels.push_back(one);
        ++part;
    }
    figures.cores = benchCores(problems.back(), availableThreads(), context);
    ++part;
    figures.run = benchRun(whole, o.folder, session.backends(), context);
    progress.end();
    if (o.json)
        showJson(toJson(figures));
    else
        print(figures);
    return 0;
}

Json toJson(const MachineFigures& figures) {
    Json devices = Json::array();
    const auto kernel = [](const KernelChoice& choice) {
        return Json{{"kernel", choice.kernel.name}, {"updatesPerSecond", choice.updatesPerSecond}};
    };
    for (const DeviceFigures& d : figures.devices) {
        Json kernels = Json::array();
        for (const KernelChoice& choice : d.kernels)
            kernels.push_back(kernel(choice));
        devices.push_back({{"number", d.device.number},
                           {"name", d.device.name},
                           {"uploadBytesPerSecond", d.rates.uploadBytes},
                           {"downloadBytesPerSecond", d.rates.downloadBytes},
                           {"filterPixelsPerSecond", d.rates.filterPixels},
                           {"updatesPerSecond", d.exact.updatesPerSecond},
                           {"exact", kernel(d.exact)},
                           {"fast", kernel(d.fast)},
                           {"kernels", kernels}});
    }
    const MachineRates& rates = figures.rates;
    return {{"cpu", cpuName()},
            {"threads", availableThreads()},
            {"loadBytesPerSecond", rates.loadBytes},
            {"preparePixelsPerSecond", rates.preparePixels},
            {"filterPixelsPerSecond", rates.filterPixels},
            {"updatesPerSecond", rates.updates},
            {"storeBytesPerSecond", rates.storeBytes},
            {"devices", devices}};
}

void print(const MachineFigures& figures, const BenchProblem& problem, const Backends& backends) {
    const auto bytes = [](double rate) { return formatBytes(static_cast<Index>(rate)) + "/s"; };
    const auto pixels = [](double rate) { return fmt::format("{:.0f} Mpixel/s", 1e-6 * rate); };
    const auto gups = [](double rate) { return fmt::format("{:.2f} GUPS", rate / (1 << 30)); };
    const MachineRates& rates = figures.rates;
    show("{}\n{}, {} threads\n{}", problem.title(), cpuName(), availableThreads(),
         textFields({{"load", bytes(rates.loadBytes)},
                     {"prepare", pixels(rates.preparePixels)},
                     {"filter", pixels(rates.filterPixels)},
                     {"back-project", gups(rates.updates)},
                     {"store", bytes(rates.storeBytes)}}));
    for (const DeviceFigures& d : figures.devices) {
        const auto kernel = [&](const KernelChoice& choice) {
            return fmt::format("{} ({})", gups(choice.updatesPerSecond), choice.kernel.name);
        };
        const std::string filter = d.rates.filterPixels > 0 ? pixels(d.rates.filterPixels)
                                                            : "unavailable: " + d.whyNoFilter;
        std::vector<std::pair<std::string, std::string>> fields = {
            {"upload", bytes(d.rates.uploadBytes)},
            {"filter", filter},
            {"back-project, exact", kernel(d.exact)},
            {"back-project, fast", kernel(d.fast)},
            {"download", bytes(d.rates.downloadBytes)}};
        for (const KernelChoice& choice : d.kernels)
            fields.emplace_back("  " + choice.kernel.name, gups(choice.updatesPerSecond));
        show("GPU {}, {}\n{}", d.device.number, d.device.name, textFields(fields));
    }
    if (figures.devices.empty()) show("No GPU: {}.\n", backends.whyNoGpu);
}

int benchThisMachine(const BenchOptions& o, Session& session) {
    const BenchProblem problem = o.quick ? BenchProblem{128, 32, 128} : BenchProblem{512, 64, 512};
    ProgressLine progress("Measuring", o.json);
    const BenchContext context = {session.stop(),
                                  [&](double fraction) { progress.update(fraction); }};
    const MachineFigures figures = benchMachine(problem, o.folder, session.backends(), context);
    progress.end();
    if (o.json)
        showJson(toJson(figures));
    else
        print(figures, problem, session.backends());
    return 0;
}

Json toJson(const Turning& f) {
    return {{"movingMs", f.movingMs},
            {"medianMs", f.medianMs},
            {"slowMs", f.slowMs},
            {"fineMs", f.fineMs},
            {"stallMs", f.stallMs}};
}

Json toJson(const GpuFrames& f) {
    return {{"card", f.gpu},
            {"voxels", f.voxels},
            {"shown", f.shown},
            {"firstSeconds", f.firstSeconds},
            {"shownSeconds", f.shownSeconds},
            {"openStallMs", f.openStallMs},
            {"shaded", toJson(f.shaded)},
            {"maximum", toJson(f.maximum)}};
}

void printGpu(const std::vector<GpuFrames>& gpu) {
    if (gpu.empty()) show("no graphics card draws volumes here: the processor does\n");
    for (const GpuFrames& f : gpu) {
        show(
            "{}: {}³ voxels in 1600 × 1000 pixels; first picture after {:.2f} s, the fine one "
            "after {:.2f} s, longest stall of the window {:.0f} ms\n  {}\n",
            f.gpu, f.voxels, f.firstSeconds, f.shownSeconds, f.openStallMs, f.shown);
        for (const auto& [look, t] : {std::pair("shaded", f.shaded), {"maximum", f.maximum}})
            show(
                "  {:<7} {:3.0f} frames/s while it turns (a picture every {:.0f} ms, 95 % within "
                "{:.0f} ms), the fine picture after {:.0f} ms, longest stall {:.0f} ms\n",
                look, 1e3 / t.movingMs, t.medianMs, t.slowMs, t.fineMs, t.stallMs);
    }
}

Json toJson(const DesktopFigures& f, Index spans, Index voxels) {
    Json document = {{"firstWindowSeconds", f.firstWindowSeconds},
                     {"firstProjectionSeconds", f.firstProjectionSeconds},
                     {"liveFirstSeconds", f.liveFirstSeconds},
                     {"liveTrueSeconds", f.liveTrueSeconds},
                     {"liveStallMs", f.liveStallMs},
                     {"isLiveOnGpu", f.isLiveOnGpu},
                     {"timelineSpans", spans},
                     {"timelineReadSeconds", f.timelineReadSeconds},
                     {"panFramesPerSecond", f.panFramesPerSecond},
                     {"zoomFramesPerSecond", f.zoomFramesPerSecond},
                     {"longestStallMs", f.longestStallMs},
                     {"volumeVoxels", voxels},
                     {"volumeShownSeconds", f.volumeShownSeconds},
                     {"volumeMovingMs", f.volumeMovingMs},
                     {"volumeFineMs", f.volumeFineMs}};
    document["large"] = Json::array();
    for (const LargeVolume& large : f.large)
        document["large"].push_back({{"voxels", large.voxels},
                                     {"fileBytes", large.fileBytes},
                                     {"shownSeconds", large.shownSeconds},
                                     {"detailSeconds", large.detailSeconds},
                                     {"memoryBytes", large.memoryBytes}});
    document["card"] = Json::array();
    for (const GpuFrames& gpu : f.gpu)
        document["card"].push_back(toJson(gpu));
    return document;
}

int benchTheDesktop(const BenchOptions& o, Session& session) {
    const Index spans = o.quick ? 10'000 : 1'000'000;
    const Index voxels = o.quick ? 128 : 512;
    const std::vector<Index> onGpu =
        o.quick ? std::vector<Index>{128} : std::vector<Index>{1024, 4096};
    const DesktopFigures f = measureDesktop(
        session, {o.folder, spans, voxels, onGpu, o.onlyGpu, o.quick && o.onlyGpu, o.pictures});
    if (o.onlyGpu && !o.json) {
        printGpu(f.gpu);
        return 0;
    }
    if (o.json) {
        showJson(toJson(f, spans, voxels));
        return 0;
    }
    show("{}",
         textFields({{"first window",
                      fmt::format("{:.2f} s after the start of the program", f.firstWindowSeconds)},
                     {"first projection", fmt::format("{:.2f} s after opening 512² × 360 views",
                                                      f.firstProjectionSeconds)},
                     {"live slices",
                      fmt::format("by {}: {:.3f} s after the centre moved, as a reconstruction has "
                                  "them after {:.2f} s",
                                  f.isLiveOnGpu ? "a GPU" : "the processor", f.liveFirstSeconds,
                                  f.liveTrueSeconds)},
                     {"their longest stall", fmt::format("{:.0f} ms", f.liveStallMs)},
                     {"timeline", fmt::format("{} spans read and drawn in {:.2f} s", spans,
                                              f.timelineReadSeconds)},
                     {"panning", fmt::format("{:.0f} frames/s", f.panFramesPerSecond)},
                     {"zooming", fmt::format("{:.0f} frames/s", f.zoomFramesPerSecond)},
                     {"longest stall", fmt::format("{:.0f} ms", f.longestStallMs)},
                     {"volume in 3D", fmt::format("{}³ voxels read and shown in {:.2f} s", voxels,
                                                  f.volumeShownSeconds)},
                     {"turning it", fmt::format("{:.0f} ms a picture, {:.0f} ms for the fine one",
                                                f.volumeMovingMs, f.volumeFineMs)}}));
    for (const LargeVolume& large : f.large)
        show(
            "{} voxels, {}: opened in {:.2f} s, its own voxels shown {:.2f} s after zooming in, in "
            "{} of memory\n",
            large.voxels, formatBytes(large.fileBytes), large.shownSeconds, large.detailSeconds,
            formatBytes(large.memoryBytes));
    printGpu(f.gpu);
    return 0;
}

void addOptions(Command& command, const std::shared_ptr<BenchOptions>& options) {
    command.option("--folder", options->folder, "FOLDER", "Where the scan for it is made");
    command.flag("--quick", options->quick, "Small problems, in a few seconds");
    command.flag("--json", options->json, "Print one JSON document");
}

}  // namespace

void addBench(Command program) {
    Command bench = program.command("bench", "Measure how fast this machine reconstructs");
    bench.examples("  gantry bench kernels --only 1k-1k\n  gantry bench machine --json");
    auto cpu = std::make_shared<BenchOptions>();
    Command cpuCommand = bench.command(
        "cpu", "CPU back-projection as ratios: against a plain loop, all cores, the whole run");
    addOptions(cpuCommand, cpu);
    cpuCommand.examples("  gantry bench cpu\n  gantry bench cpu --quick --json");
    cpuCommand.action([cpu](Session& session) { return benchCpu(*cpu, session); });
    addBenchKernels(bench);
    addBenchJobs(bench);
    auto machine = std::make_shared<BenchOptions>();
    Command machineCommand = bench.command(
        "machine", "What this machine and its GPUs do per second, one stage at a time");
    addOptions(machineCommand, machine);
    machineCommand.examples("  gantry bench machine --folder /data");
    machineCommand.action(
        [machine](Session& session) { return benchThisMachine(*machine, session); });
    addBenchPreview(bench);
    addBenchProjector(bench);
    addBenchRanks(bench);
    auto desktop = std::make_shared<BenchOptions>();
    Command desktopCommand = bench.command(
        "desktop", "What an operator waits for: window, first image, live slices, timeline, 3D");
    addOptions(desktopCommand, desktop);
    desktopCommand.flag("--card", desktop->onlyGpu, "Only volumes in 3D on the graphics card");
    desktopCommand.option("--pictures", desktop->pictures, "FOLDER",
                          "Where the pictures that the card draws are stored");
    desktopCommand.examples("  gantry bench desktop\n  gantry bench desktop --card --pictures .");
    desktopCommand.action(
        [desktop](Session& session) { return benchTheDesktop(*desktop, session); });
}

}  // namespace gantry
