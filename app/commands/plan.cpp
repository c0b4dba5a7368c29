#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/as_rank.h"
#include "app/cli/field_options.h"
#include "app/cli/launch_ranks.h"
#include "app/cli/reconstruction_options.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "app/commands/plan_cluster.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/cluster/mpi/mpi_communicator.h"
#include "core/job/forecast_file.h"
#include "core/job/grid_plan_json.h"
#include "core/job/index_ranges_json.h"
#include "core/job/job_fields.h"
#include "core/machine/choose_rows.h"
#include "core/machine/measure.h"
#include "core/scan/corrected_scan.h"
#include "core/scan/inspect/find_extension.h"
#include "core/scan/inspect/scan_notes.h"
#include "core/work/job_forecast.h"
#include "core/work/volume_store.h"

namespace gantry {

namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

Index slicesOf(const RankPlan& rank, const JobPlan& plan) {
    Index slices = 0;
    for (const Assignment& part : rank.assignments)
        slices += plan.slabs[part.slab].slices.size();
    return slices;
}

void print(const JobSpec& spec, const PlannedRun& planned, const std::vector<RankPlan>& ranks,
           const std::vector<std::string>& warnings) {
    const GridPlan& grid = planned.plan.part->plan;
    Fields fields = {{"grid", describe(grid)}};
    for (const std::string& warning : warnings)
        fields.emplace_back("warning", warning);
    show("{}\n{}", spec.scan.path.string(), textFields(fields));
    TextRows rows = {{"Rank", "machine", "engine", "slices", "views", "memory", "forecast"}};
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        const RankPlan& one = ranks[rank];
        rows.push_back(
            {fmt::format("{}", rank), one.host, one.engine,
             fmt::format("{}", slicesOf(one, planned.plan)),
             fmt::format("{}", GridPart{grid, static_cast<int>(rank)}.views().size()),
             fmt::format("{} of {}", formatBytes(one.hostBytes), formatBytes(one.budgetBytes)),
             secondsText(one.forecast.wall)});
    }
    show("{}", textTable(rows));
    TextRows stages = {{"Stage", "all ranks together"}};
    for (const ForecastField& field : kForecastFields)
        if (const double value = laneSecondsOf(planned.forecast, field.stage); value > 0)
            stages.push_back({std::string(name(field.stage)), formatDuration(value)});
    show("{}  {} in total, bound by {}\n", textTable(stages), secondsText(planned.forecast.wall),
         planned.forecast.boundingStage);
}

int planAsRank(const ReconstructionOptions& request, bool json, Session& session, JobRanks& ranks) {
    JobSpec spec;
    PlannedRun planned;
    std::vector<std::string> warnings;
    ranks.work(
        [&](const std::stop_token& stop) {
            spec = makeJobSpec(request, stop);
            spec.ranks = ranks.count();
            settleMethod(spec);
            checkSharing(spec);
            spec.rows = filterRowsOf(spec, machineOf(session.backends()));
            spec = ranks.shareOf(ranks.agreed(spec), session.backends());
            const OpenScan stored = openScan(spec.scan, stop, BadViews::refuse, *spec.rows);
            const OpenScan scan = corrected(stored, spec.corrections, spec.threads, stop);
            planned = ranks.plan(scan, spec, session.backends(), sinkNeedsOf(spec),
                                 Purpose::forecast, {}, {}, true, stop);
            ranks.waitForAll();
            if (ranks.isFirst())
                warnings = scanNotes(corrected(stored, spec.corrections.measured()), spec.volume,
                                     planned.plan.threads, stop);
        },
        session.stop());
    if (!ranks.isFirst()) return 0;
    if (!json) {
        print(spec, planned, ranks.plans(), warnings);
        return 0;
    }
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const RankPlan& rank : ranks.plans())
        all.push_back(toJson(rank));
    showJson({{"grid", toJson(planned.plan.part->plan)},
              {"ranks", all},
              {"warnings", warnings},
              {"forecast", toJson(planned.forecast)}});
    return 0;
}

// Prints the plan and the forecast of a job by several ranks of this machine: starts them, so that
// each measures its rates while the others do, and those of exchanges; or is itself one of them.
// @throws InputError naming the option or field; ResourceError
// Tests: tests/cli/test_ranks.py
int planRanks(const ClusterOptions& options, const ReconstructionOptions& request, bool json,
              Session& session) {
    if (isStartedByMpi())
        return runAsRank(
            session, [&](JobRanks& ranks) { return planAsRank(request, json, session, ranks); });
    const int ranks = static_cast<int>(std::clamp<Index>(options.ranks, 0, 1'000'000));
    checkRanks(ranks);
    // Errors are reported once, before ranks are started.
    JobSpec spec = makeJobSpec(request, session.stop());
    spec.ranks = ranks;
    checkSharing(spec);
    return runRanks(ranks, session.words(), session.stop());
}

struct PlanOptions {
    ReconstructionOptions request;
    ClusterOptions cluster;
    bool json = false;
};

struct Plan {
    JobSpec spec;
    JobForecast forecast;
    std::string redundancy;
    std::vector<LeftOutView> leftOut;
    std::vector<std::string> warnings;
};

struct StageForecast {
    Stage stage;
    double seconds;
    std::string rate;
};

// The rate of the slowest device, which counts in a forecast.
double slowest(const MachineRates& rates, double DeviceRates::*rate) {
    double min = rates.devices.empty() ? 0 : rates.devices.front().*rate;
    for (const DeviceRates& device : rates.devices)
        min = std::min(min, device.*rate);
    return min;
}

std::vector<StageForecast> stagesOf(const Plan& plan) {
    const MachineRates& r = plan.forecast.rates;
    const Forecast& seconds = plan.forecast.seconds;
    const bool onDevices = seconds.devices > 0;
    const std::string each = seconds.devices > 1 ? " each" : "";
    const auto bytes = [](double rate) { return formatBytes(static_cast<Index>(rate)) + "/s"; };
    const auto pixels = [](double rate) { return fmt::format("{:.0f} Mpixel/s", 1e-6 * rate); };
    const double filter =
        seconds.devicesFilter ? slowest(r, &DeviceRates::filterPixels) : r.filterPixels;
    const double updates = onDevices ? slowest(r, &DeviceRates::updates) : r.updates;
    std::vector<StageForecast> stages;
    const auto add = [&](Stage stage, const std::string& rate) {
        stages.push_back({stage, secondsOf(seconds, stage), rate});
    };
    add(Stage::load, bytes(r.loadBytes));
    if (seconds.correct > 0) add(Stage::correct, pixels(r.correctPixels));
    if (seconds.prepare > 0 || !onDevices) add(Stage::prepare, pixels(r.preparePixels));
    add(Stage::filter, pixels(filter) + (seconds.devicesFilter ? each : ""));
    if (onDevices) add(Stage::upload, bytes(slowest(r, &DeviceRates::uploadBytes)) + each);
    if (seconds.project > 0)
        add(Stage::project,
            fmt::format("{} iterations", plan.forecast.plan.iterations->iterations));
    add(Stage::backproject,
        fmt::format("{:.2f} GUPS{}", updates / static_cast<double>(1 << 30), each));
    if (onDevices) add(Stage::download, bytes(slowest(r, &DeviceRates::downloadBytes)) + each);
    add(Stage::store, r.storeBytes > 0 ? bytes(r.storeBytes) : "not measured");
    return stages;
}

// Lists GPUs; the CPU is named as the engine.
nlohmann::ordered_json devicesJson(const JobPlan& job) {
    nlohmann::ordered_json devices = nlohmann::ordered_json::array();
    if (job.engine == EngineKind::cpu) return devices;
    for (const DevicePlan& device : job.devices)
        devices.push_back({{"device", device.device},
                           {"name", device.name},
                           {"kernel", device.kernel.kernel.name},
                           {"memoryBytes", device.bytes},
                           {"memoryAllowedBytes", device.budgetBytes}});
    return devices;
}

nlohmann::ordered_json toJson(const Plan& plan) {
    const JobPlan& job = plan.forecast.plan;
    nlohmann::ordered_json slabs = nlohmann::ordered_json::array();
    for (const SlabPlan& slab : job.slabs)
        slabs.push_back({{"slices", toJson(slab.slices)}, {"rows", toJson(slab.rows)}});
    nlohmann::ordered_json leftOut = nlohmann::ordered_json::array();
    for (const LeftOutView& view : plan.leftOut)
        leftOut.push_back(view.view);
    nlohmann::ordered_json stages;
    for (const StageForecast& stage : stagesOf(plan))
        stages[name(stage.stage)] = stage.seconds;
    return {{"voxels", plan.spec.volume.voxels},
            {"pitchMm", plan.spec.volume.pitchMm},
            {"centerMm", plan.spec.volume.centerMm},
            {"engine", engineName(job)},
            {"devices", devicesJson(job)},
            {"filterOn", plan.forecast.seconds.devicesFilter ? kGpuWord : kCpuWord},
            {"threads", job.threads},
            {"redundancy", plan.redundancy},
            {"viewsLeftOut", leftOut},
            {"notes", job.notes},
            {"warnings", plan.warnings},
            {"memoryBytes", job.hostBytes},
            {"memoryAllowedBytes", job.budgetBytes},
            {"slabs", slabs},
            {"passes", job.passes.size()},
            {"batchViews", job.batchViews},
            {"outputBytes", plan.forecast.outputBytes},
            {"diskFreeBytes", plan.forecast.freeDiskBytes},
            {"forecastSeconds", stages},
            {"wallSeconds", plan.forecast.seconds.wall},
            {"boundingStage", std::string(plan.forecast.seconds.boundingStage)}};
}

void addDevices(const Plan& plan, Fields& fields) {
    const JobPlan& job = plan.forecast.plan;
    const bool isOnCpu = job.engine == EngineKind::cpu;
    for (std::size_t d = 0; !isOnCpu && d < job.devices.size(); ++d) {
        const DevicePlan& device = job.devices[d];
        fields.emplace_back(
            fmt::format("GPU {}", device.device),
            fmt::format("{}, kernel {}; {} of {} allowed", device.name, device.kernel.kernel.name,
                        formatBytes(device.bytes), formatBytes(device.budgetBytes)));
    }
    for (const std::string& note : job.notes)
        fields.emplace_back("note", note);
    if (isOnCpu) return;
    fields.emplace_back("filter on",
                        job.hostTakes() == ViewState::filtered ? "the CPU" : "the GPU");
}

std::string slabsText(const JobPlan& job) {
    if (job.iterations && job.iterations->place == IterationPlan::Place::device)
        return "1: the whole volume, which stays in the memory of the GPU";
    if (job.iterations)
        return fmt::format("1: the whole volume, projected {} slices at a time",
                           job.iterations->slabSlices);
    const std::size_t slabs = job.slabs.size();
    if (slabs == 1) return "1: the whole volume at once";
    Index max = 0;
    for (const SlabPlan& slab : job.slabs)
        max = std::max(max, slab.slices.size());
    const std::size_t passes = job.passes.size();
    if (passes == slabs)
        return fmt::format("{} of up to {} slices, each a pass over the views", slabs, max);
    return fmt::format("{} of up to {} slices in {} over the views", slabs, max,
                       passes == 1 ? "1 pass" : fmt::format("{} passes", passes));
}

void print(const Plan& plan) {
    const JobForecast& forecast = plan.forecast;
    const JobPlan& job = forecast.plan;
    const auto [nX, nY, nZ] = plan.spec.volume.voxels;
    const std::array<double, 3>& pitch = plan.spec.volume.pitchMm;
    Fields fields = {{"volume", fmt::format("{} × {} × {} voxels of {:.4g} × {:.4g} × {:.4g} mm",
                                            nX, nY, nZ, pitch[0], pitch[1], pitch[2])},
                     {"output", fmt::format("{}, {}; {} free", plan.spec.output.path.string(),
                                            formatBytes(forecast.outputBytes),
                                            formatBytes(forecast.freeDiskBytes))},
                     {"engine", fmt::format("{}, {} threads", engineName(job), job.threads)}};
    addDevices(plan, fields);
    fields.emplace_back("weights", plan.redundancy);
    if (!plan.leftOut.empty())
        fields.emplace_back("left out", leftOutText(plan.leftOut, plan.spec.scan.geometry.views()));
    for (const std::string& warning : plan.warnings)
        fields.emplace_back("warning", warning);
    fields.emplace_back("memory", fmt::format("{} of {} allowed", formatBytes(job.hostBytes),
                                              formatBytes(job.budgetBytes)));
    fields.emplace_back("slabs", slabsText(job));
    show("{}\n{}", plan.spec.scan.path.string(), textFields(fields));
    TextRows rows = {{"Stage", "forecast", "at"}};
    for (const StageForecast& stage : stagesOf(plan))
        rows.push_back({std::string(name(stage.stage)), formatDuration(stage.seconds), stage.rate});
    show("{}  {} in total, bound by {}\n", textTable(rows), formatDuration(forecast.seconds.wall),
         forecast.seconds.boundingStage);
}

int makePlan(const PlanOptions& options, Session& session) {
    if (options.cluster.isAsked() && !options.cluster.problem.empty())
        return planCluster(options.cluster, options.request, options.json, session);
    if (options.request.scan.empty())
        throw InputError(
            "plan needs a scan: the path of a scan.json, or of the folder that holds it.");
    if (options.cluster.isAsked())
        return planCluster(options.cluster, options.request, options.json, session);
    if (options.cluster.ranks > 1 || isStartedByMpi())
        return planRanks(options.cluster, options.request, options.json, session);
    const std::stop_token stop = session.stop();
    Plan plan;
    plan.spec = makeJobSpec(options.request, stop);
    settleMethod(plan.spec);
    const Machine machine = machineOf(session.backends());
    OpenScan stored =
        selected(openScan(plan.spec.scan, stop, BadViews::refuse, filterRowsOf(plan.spec, machine)),
                 plan.spec.corrections.pixels);
    // A job that cannot run is refused before anything is measured.
    plan.forecast = forecastJob(stored, plan.spec, machine, {});
    stored = withExtension(stored,
                           findExtension(stored, plan.spec.corrections, plan.spec.threads, stop));
    Facts facts;
    const RowsChoice choice =
        chooseRows(facts, stored, plan.spec, machine, session.backends(), stop);
    const OpenScan scan =
        corrected(withRows(stored, choice.rows), plan.spec.corrections, plan.spec.threads, stop);
    learn(facts, scan, plan.spec, sinkNeedsOf(plan.spec), machine, session.backends(),
          Purpose::forecast, {}, stop);
    plan.forecast = forecastJob(scan, plan.spec, machine, facts);
    std::vector<std::string>& notes = plan.forecast.plan.notes;
    if (!choice.reason.empty()) notes.push_back(choice.reason);
    if (scan.modules)
        notes.insert(notes.end(), scan.modules->notes.begin(), scan.modules->notes.end());
    if (scan.air) notes.insert(notes.end(), scan.air->notes.begin(), scan.air->notes.end());
    plan.redundancy = scan.redundancy.reason;
    plan.leftOut = scan.leftOut;
    plan.warnings = scanNotes(corrected(stored, plan.spec.corrections.measured()), plan.spec.volume,
                              plan.forecast.plan.threads, stop);
    if (options.json)
        showJson(toJson(plan));
    else
        print(plan);
    return 0;
}

}  // namespace

void addPlan(Command program) {
    auto options = std::make_shared<PlanOptions>();
    Command command = program.command(
        "plan", "Forecast what a reconstruction needs: memory, passes, and seconds per stage");
    command.option("scan", options->request.scan, "SCAN",
                   std::string(kScanHelp) + "; not with --problem");
    addReconstructionOptions(command, options->request);
    addClusterOptions(command, options->cluster);
    addFieldOptions(command, jobFields(), options->request.job, {kSharingOptions});
    command.flag("--json", options->json, "Print one JSON document");
    command.examples(
        "  gantry plan scan/scan.json --voxels 512\n"
        "  gantry plan scan/scan.json --voxels 1024 --memory 4G\n"
        "  gantry plan scan/scan.json --engine gpu --device-memory 8G\n"
        "  gantry plan scan/scan.json --voxels 512 --ranks 4\n"
        "  gantry plan --cluster abci --ranks 2048 --problem 2048x2048x4096:8192x8192x8192");
    command.action([options](Session& session) { return makePlan(*options, session); });
}

}  // namespace gantry
