#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "app/reconstruction_options.h"
#include "app/session.h"
#include "app/terminal.h"
#include "core/base/text.h"
#include "core/recon/job_forecast.h"

namespace gantry {

namespace {

struct Options {
    ReconstructionOptions request;
    bool json = false;
};

struct Plan {
    JobSpec spec;
    JobForecast forecast;
    std::string redundancy;
};

struct StageForecast {
    const char* stage;
    double seconds;
    std::string rate;
};

std::array<StageForecast, 5> stagesOf(const Plan& plan) {
    const MachineRates& r = plan.forecast.rates;
    const Forecast& seconds = plan.forecast.seconds;
    const auto bytes = [](double rate) { return formatBytes(static_cast<Index>(rate)) + "/s"; };
    const auto pixels = [](double rate) { return fmt::format("{:.0f} Mpixel/s", 1e-6 * rate); };
    return {{{"load", seconds.load, bytes(r.loadBytes)},
             {"prepare", seconds.prepare, pixels(r.preparePixels)},
             {"filter", seconds.filter, pixels(r.filterPixels)},
             {"back-project", seconds.backproject,
              fmt::format("{:.2f} GUPS", r.updates / static_cast<double>(1 << 30))},
             {"store", seconds.store, bytes(r.storeBytes)}}};
}

nlohmann::ordered_json toJson(const Plan& plan) {
    const JobPlan& job = plan.forecast.plan;
    nlohmann::ordered_json slabs = nlohmann::ordered_json::array();
    for (const SlabPlan& slab : job.slabs)
        slabs.push_back({{"slices", {slab.slices.begin, slab.slices.end}},
                         {"rows", {slab.rows.begin, slab.rows.end}}});
    nlohmann::ordered_json stages;
    for (const StageForecast& stage : stagesOf(plan))
        stages[stage.stage] = stage.seconds;
    return {{"voxels", plan.spec.volume.voxels},
            {"pitchMm", plan.spec.volume.pitchMm},
            {"centerMm", plan.spec.volume.centerMm},
            {"engine", plan.forecast.engine},
            {"threads", job.threads},
            {"redundancy", plan.redundancy},
            {"memoryBytes", job.hostBytes},
            {"memoryAllowedBytes", job.budgetBytes},
            {"slabs", slabs},
            {"batchViews", job.batchViews},
            {"outputBytes", plan.forecast.outputBytes},
            {"diskFreeBytes", plan.forecast.freeDiskBytes},
            {"forecastSeconds", stages},
            {"wallSeconds", plan.forecast.seconds.wall},
            {"boundingStage", std::string(plan.forecast.seconds.boundingStage)}};
}

void print(const Plan& plan) {
    const JobForecast& forecast = plan.forecast;
    const JobPlan& job = forecast.plan;
    const auto [nX, nY, nZ] = plan.spec.volume.voxels;
    const std::array<double, 3>& pitch = plan.spec.volume.pitchMm;
    const std::size_t slabs = job.slabs.size();
    fmt::print(
        "{}\n{}", plan.spec.scan.path.string(),
        textFields(
            {{"volume", fmt::format("{} × {} × {} voxels of {:.4g} × {:.4g} × {:.4g} mm", nX, nY,
                                    nZ, pitch[0], pitch[1], pitch[2])},
             {"output",
              fmt::format("{}, {}; {} free there", plan.spec.output.path.string(),
                          formatBytes(forecast.outputBytes), formatBytes(forecast.freeDiskBytes))},
             {"engine", fmt::format("{}, {} threads", forecast.engine, job.threads)},
             {"weights", plan.redundancy},
             {"memory", fmt::format("{} of {} allowed", formatBytes(job.hostBytes),
                                    formatBytes(job.budgetBytes))},
             {"slabs", slabs == 1 ? std::string("1: the whole volume at once")
                                  : fmt::format("{} of up to {} slices, each a pass over the views",
                                                slabs, job.slabs.front().slices.size())}}));
    std::vector<std::vector<std::string>> rows = {{"Stage", "forecast", "at"}};
    for (const StageForecast& stage : stagesOf(plan))
        rows.push_back({stage.stage, formatDuration(stage.seconds), stage.rate});
    fmt::print("{}  {} in all, bound by {}\n", textTable(rows),
               formatDuration(forecast.seconds.wall), forecast.seconds.boundingStage);
}

int makePlan(const Options& options, Session& session) {
    const std::stop_token stop = session.stop();
    Plan plan;
    plan.spec = makeJobSpec(options.request);
    const OpenScan scan = openScan(plan.spec.scan, stop);
    plan.forecast = forecast(scan, plan.spec, session.backends(), {}, stop);
    plan.redundancy = scan.redundancy.reason;
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
