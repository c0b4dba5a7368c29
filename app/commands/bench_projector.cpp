#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/bench/projector_bench.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "core/base/parallel.h"
#include "core/cpu/cpu_backend.h"
#include "core/plan/device_choice.h"

namespace gantry {

namespace {

struct BenchProjectorOptions {
    int device = 0;
    bool onCpu = false;
    bool quick = false;
    bool json = false;
};

int benchTheProjector(const BenchProjectorOptions& o, Session& session) {
    const EngineInfo& gpus = session.backends().gpu.info;
    const bool onGpu = !o.onCpu && !gpus.devices.empty();
    ReconstructionRequest request;
    request.devices = {o.device};
    const std::string engine =
        onGpu ? chosenDevices(request, gpus).front().name : std::string(cpuName());
    const BenchContext context = {session.stop(), {}, o.quick ? 0.1 : 2.0};
    nlohmann::ordered_json problems = nlohmann::ordered_json::array();
    TextRows rows = {{"Problem", "forward", "G samples/s", "adjoint", "G samples/s", "GUPS"}};
    for (const ProjectorProblem& problem : projectorProblems(onGpu, o.quick)) {
        const ProjectorFigures f = onGpu ? benchGpuProjector(o.device, problem, context)
                                         : benchCpuProjector(problem, availableThreads(), context);
        const double forward = problem.samples() / f.forwardSeconds / kGiga;
        const double adjoint = problem.samples() / f.adjointSeconds / kGiga;
        const double gups = problem.updates() / f.adjointSeconds / kGiga;
        problems.push_back({{"problem", problem.title},
                            {"forwardSeconds", f.forwardSeconds},
                            {"forwardSamplesPerSecond", forward * kGiga},
                            {"adjointSeconds", f.adjointSeconds},
                            {"adjointSamplesPerSecond", adjoint * kGiga},
                            {"adjointGups", gups}});
        rows.push_back({problem.title, fmt::format("{:.1f} ms", 1e3 * f.forwardSeconds),
                        fmt::format("{:.4g}", forward),
                        fmt::format("{:.1f} ms", 1e3 * f.adjointSeconds),
                        fmt::format("{:.4g}", adjoint), fmt::format("{:.4g}", gups)});
    }
    if (o.json)
        showJson({{"device", engine}, {"problems", problems}});
    else
        show("{}\n{}", engine, textTable(rows));
    return 0;
}

}  // namespace

void addBenchProjector(Command bench) {
    auto options = std::make_shared<BenchProjectorOptions>();
    Command command = bench.command(
        "projector", "Line integrals of a volume and their transpose, for iterative methods");
    command.option("--device", options->device, "N", "GPU to measure, by its number");
    command.flag("--cpu", options->onCpu, "The processor, even where there is a GPU");
    command.flag("--quick", options->quick, "A small volume into few views");
    command.flag("--json", options->json, "Print one JSON document");
    command.examples("  gantry bench projector\n  gantry bench projector --cpu --json");
    command.action([options](Session& session) { return benchTheProjector(*options, session); });
}

}  // namespace gantry
