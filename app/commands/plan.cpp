#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "app/reconstruction_options.h"
#include "app/session.h"
#include "app/terminal.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/recon/machine_rates.h"

namespace gantry {

namespace {

struct Options {
    ReconstructionOptions request;
    bool json = false;
};

struct Plan {
    JobSpec spec;
    JobPlan job;
    MachineRates rates;
    Forecast forecast;
    std::string engine;
    std::string redundancy;
    Index outputBytes = 0;
    Index freeBytes = 0;
};

struct StageForecast {
    const char* stage;
    double seconds;
    std::string rate;
};

std::array<StageForecast, 5> stagesOf(const Plan& plan) {
    const MachineRates& r = plan.rates;
    const auto bytes = [](double rate) { return formatBytes(static_cast<Index>(rate)) + "/s"; };
    const auto pixels = [](double rate) { return fmt::format("{:.0f} Mpixel/s", 1e-6 * rate); };
    return {{{"load", plan.forecast.load, bytes(r.loadBytes)},
             {"prepare", plan.forecast.prepare, pixels(r.preparePixels)},
             {"filter", plan.forecast.filter, pixels(r.filterPixels)},
             {"back-project", plan.forecast.backproject,
              fmt::format("{:.2f} GUPS", r.updates / static_cast<double>(1 << 30))},
             {"store", plan.forecast.store, bytes(r.storeBytes)}}};
}

nlohmann::ordered_json toJson(const Plan& plan) {
    nlohmann::ordered_json slabs = nlohmann::ordered_json::array();
    for (const SlabPlan& slab : plan.job.slabs)
        slabs.push_back({{"slices", {slab.slices.begin, slab.slices.end}},
                         {"rows", {slab.rows.begin, slab.rows.end}}});
    nlohmann::ordered_json stages;
    for (const StageForecast& stage : stagesOf(plan))
        stages[stage.stage] = stage.seconds;
    return {{"voxels", plan.spec.volume.voxels},
            {"pitchMm", plan.spec.volume.pitchMm},
            {"centerMm", plan.spec.volume.centerMm},
            {"engine", plan.engine},
            {"threads", plan.job.threads},
            {"redundancy", plan.redundancy},
            {"memoryBytes", plan.job.hostBytes},
            {"memoryAllowedBytes", plan.job.budgetBytes},
            {"slabs", slabs},
            {"batchViews", plan.job.batchViews},
            {"outputBytes", plan.outputBytes},
            {"diskFreeBytes", plan.freeBytes},
            {"forecastSeconds", stages},
            {"wallSeconds", plan.forecast.wall},
            {"boundingStage", std::string(plan.forecast.boundingStage)}};
}

void print(const Plan& plan) {
    const auto [nX, nY, nZ] = plan.spec.volume.voxels;
    const std::array<double, 3>& pitch = plan.spec.volume.pitchMm;
    const std::size_t slabs = plan.job.slabs.size();
    fmt::print(
        "{}\n{}", plan.spec.scan.path.string(),
        textFields(
            {{"volume", fmt::format("{} × {} × {} voxels of {:.4g} × {:.4g} × {:.4g} mm", nX, nY,
                                    nZ, pitch[0], pitch[1], pitch[2])},
             {"output", fmt::format("{}, {}; {} free there", plan.spec.output.path.string(),
                                    formatBytes(plan.outputBytes), formatBytes(plan.freeBytes))},
             {"engine", fmt::format("{}, {} threads", plan.engine, plan.job.threads)},
             {"weights", plan.redundancy},
             {"memory", fmt::format("{} of {} allowed", formatBytes(plan.job.hostBytes),
                                    formatBytes(plan.job.budgetBytes))},
             {"slabs", slabs == 1 ? std::string("1: the whole volume at once")
                                  : fmt::format("{} of up to {} slices, each a pass over the views",
                                                slabs, plan.job.slabs.front().slices.size())}}));
    std::vector<std::vector<std::string>> rows = {{"Stage", "forecast", "at"}};
    for (const StageForecast& stage : stagesOf(plan))
        rows.push_back({stage.stage, formatDuration(stage.seconds), stage.rate});
    fmt::print("{}  {} in all, bound by {}\n", textTable(rows), formatDuration(plan.forecast.wall),
               plan.forecast.boundingStage);
}

int makePlan(const Options& options, Session& session) {
    const std::stop_token stop = session.stop();
    const Backends& backends = session.backends();
    Plan plan;
    plan.spec = makeJobSpec(options.request);
    if (plan.spec.engine == Engine::gpu)
        throw InputError(fmt::format("engine: gpu: {}; use --engine cpu", backends.whyNoGpu));
    const int threads = plan.spec.threads > 0 ? plan.spec.threads : availableThreads();
    const OpenScan scan = openScan(plan.spec.scan, stop);
    const auto& make =
        plan.spec.cpuKernel == CpuKernel::reference ? backends.reference : backends.cpuColumns;
    plan.job = planJob(scan, plan.spec, *make(threads), {});
    plan.rates = measureRates(scan, plan.spec, plan.job, backends, stop);
    plan.forecast = forecastJob(scan, plan.spec, plan.job, plan.rates);
    plan.engine = backends.cpuName;
    plan.redundancy = scan.redundancy.reason;
    plan.outputBytes = outputBytes(plan.spec.output, plan.spec.volume);
    plan.freeBytes = freeDiskBytes(plan.spec.output.path);
    if (options.json)
        fmt::print("{}\n", toJson(plan).dump(2));
    else
        print(plan);
    return 0;
}

}  // namespace

void addPlan(Command program) {
    auto options = std::make_shared<Options>();
    Command command = program.command(
        "plan", "Tell what a reconstruction will need: memory, passes, and seconds a stage");
    addReconstructionOptions(command, options->request);
    command.flag("--json", options->json, "Print one JSON document");
    command.examples(
        "  gantry plan scan/scan.json --voxels 512\n"
        "  gantry plan scan/scan.json --voxels 1024 --memory 4G");
    command.action([options](Session& session) { return makePlan(*options, session); });
}

}  // namespace gantry
