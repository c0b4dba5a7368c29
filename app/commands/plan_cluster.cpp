#include "app/commands/plan_cluster.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/geometry/views/aligned_views.h"
#include "core/io/pixel_type.h"
#include "core/job/event_log.h"
#include "core/plan/cluster/cluster_file.h"
#include "core/plan/cluster/cluster_simulation.h"

namespace gantry {

namespace {

constexpr Index kMaxRanks = 1'000'000;
// Max views, columns, rows and voxels along an axis: forecasts are fast up to here.
constexpr Index kMaxOfAProblem = 1 << 20;

// The problem to be reconstructed; it refers to the views.
struct Subject {
    std::string title;
    AlignedViews aligned;
    VolumeGrid grid;
    Index storedBytesPerPixel = 2;
    Index outputBytesPerVoxel = 4;

    [[nodiscard]] ClusterProblem problem() const {
        return {aligned, grid, storedBytesPerPixel, outputBytesPerVoxel};
    }
};

std::array<Index, 3> readSizes(const std::string& text) {
    const std::array<Index, 3> sizes = readVoxels(text, "--problem");
    for (const Index size : sizes)
        if (size < 1 || size > kMaxOfAProblem)
            throwError<InputError>("--problem has {}; sizes must be from 1 to {}.", size,
                                   kMaxOfAProblem);
    return sizes;
}

// Parses "2048x2048x4096:8192x8192x8192": a full circle at 600 and 1200 mm before a detector 410 mm
// wide, and a volume 5/6 as wide as the detector's image, as in `gantry bench kernels`.
Subject namedProblem(const std::string& text, Index outputBytesPerVoxel) {
    const std::size_t at = text.find(':');
    if (at == std::string::npos)
        throwError<InputError>(
            "--problem is '{}'; it must be COLUMNSxROWSxVIEWS:XxYxZ, such as "
            "2048x2048x4096:8192x8192x8192.",
            text);
    const auto [columns, rows, views] = readSizes(text.substr(0, at));
    const auto [nX, nY, nZ] = readSizes(text.substr(at + 1));
    constexpr double kDetectorMm = 410;
    ScanGeometry scan;
    scan.cone().sourceToIsocenterMm = 600;
    scan.cone().sourceToDetectorMm = 1200;
    scan.cone().views = views;
    scan.detector.columns = columns;
    scan.detector.rows = rows;
    scan.detector.pitchMm.fill(kDetectorMm / static_cast<double>(columns));
    Subject subject;
    subject.title = fmt::format("{} × {} × {} → {} × {} × {}", columns, rows, views, nX, nY, nZ);
    subject.aligned = alignedViews(scan);
    subject.grid.voxels = {nX, nY, nZ};
    subject.grid.pitchMm.fill(5.0 / 6 * kDetectorMm / 2 / static_cast<double>(nX));
    subject.storedBytesPerPixel = sizeof(float);  // as in the paper
    subject.outputBytesPerVoxel = outputBytesPerVoxel;
    return subject;
}

Subject subjectOf(const ClusterOptions& options, const ReconstructionOptions& request,
                  Session& session) {
    if (!options.problem.empty())
        return namedProblem(options.problem, sizeBytes(request.job.output.type));
    const JobSpec spec = makeJobSpec(request, session.stop());
    Subject subject;
    subject.title = spec.scan.path.string();
    subject.aligned = alignedViews(spec.geometry());
    subject.grid = spec.volume;
    subject.outputBytesPerVoxel = sizeBytes(spec.output.type);
    return subject;
}

struct Planned {
    ClusterForecast forecast;
    ClusterSimulation simulation;
};

using Stages = std::vector<std::pair<std::string, double>>;

Stages stagesOf(const ClusterForecast& f) {
    return {{"start", f.start},
            {"load", f.load},
            {"filter", f.filter},
            {"gather", f.gather},
            {"back-project", f.backproject},
            {"", f.compute},
            {"download", f.download},
            {"reduce", f.reduce},
            {"store", f.store}};
}

nlohmann::ordered_json toJson(const Planned& planned, Index idle) {
    const ClusterForecast& f = planned.forecast;
    nlohmann::ordered_json stages;
    for (const auto& [stage, seconds] : stagesOf(f))
        stages[stage.empty() ? "compute" : stage] = seconds;
    stages["upload"] = f.upload;
    stages["post"] = f.post;
    return {{"exchange", std::string(name(f.grid.exchange))},
            {"rows", f.grid.rows},
            {"columns", f.grid.columns},
            {"idleRanks", idle},
            {"slabsOfARank", f.slabs},
            {"slicesOfARank", f.slices},
            {"forecastSeconds", stages},
            {"wallSeconds", f.wall},
            {"simulatedSeconds", planned.simulation.seconds},
            {"gups", f.gups},
            {"boundingStage", std::string(name(f.boundingStage))}};
}

void print(const Subject& subject, const Cluster& cluster, const ClusterOptions& options,
           const std::vector<Planned>& all) {
    std::vector<std::pair<std::string, std::string>> fields = {
        {"cluster", cluster.name},
        {"ranks", fmt::format("{}, one a GPU", options.ranks)},
        {"output", formatBytes(subject.outputBytesPerVoxel * subject.grid.count())}};
    show("{}\n{}", subject.title, textFields(fields));
    std::vector<std::string> head = {"Stage"};
    std::vector<std::string> grids = {"grid (rows × columns)"};
    std::vector<std::string> slabs = {"slices of a rank, slabs"};
    TextRows rows;
    for (const auto& [stage, value] : stagesOf(all.front().forecast))
        rows.push_back({stage.empty() ? "= all of these, overlapped" : stage});
    std::vector<std::string> wall = {"in total"};
    std::vector<std::string> simulated = {"simulated, storing overlapped"};
    std::vector<std::string> gups = {"GUPS"};
    std::vector<std::string> bound = {"bound by"};
    for (const Planned& planned : all) {
        const ClusterForecast& f = planned.forecast;
        head.push_back(fmt::format("{}", name(f.grid.exchange)));
        const Index idle = options.ranks - f.grid.ranks();
        grids.push_back(fmt::format("{} × {}{}", f.grid.rows, f.grid.columns,
                                    idle > 0 ? fmt::format(", {} idle", idle) : ""));
        slabs.push_back(fmt::format("{}, {}", f.slices, f.slabs));
        const Stages stages = stagesOf(f);
        for (std::size_t i = 0; i < stages.size(); ++i)
            rows[i].push_back(secondsText(stages[i].second));
        wall.push_back(formatDuration(f.wall));
        simulated.push_back(formatDuration(planned.simulation.seconds));
        gups.push_back(fmt::format("{:.0f}", f.gups));
        bound.emplace_back(name(f.boundingStage));
    }
    rows.insert(rows.begin(), {head, grids, slabs});
    rows.insert(rows.end(), {wall, simulated, gups, bound});
    show("{}", textTable(rows));
}

void checkNumber(Index value, Index max, const char* option) {
    if (value < 1 || value > max)
        throwError<InputError>("{} is {}; it must be from 1 to {}.", option, value, max);
}

}  // namespace

std::string secondsText(double seconds) {
    return seconds > 0 ? formatDuration(seconds) : "–";
}

void addClusterOptions(Command& command, ClusterOptions& o) {
    command.option("--cluster", o.cluster, "FILE|NAME",
                   "Forecast a run on a cluster instead: a JSON file that describes it, or abci or "
                   "h200");
    command.option(
        "--ranks", o.ranks, "N",
        "With --cluster, its ranks, one a GPU; else processes of this machine, which are "
        "started to measure what they do together");
    command.option("--problem", o.problem, "UxVxP:XxYxZ",
                   "With --cluster, in place of a scan: detector columns, rows and views, voxels");
    command.option("--slabs-per-rank", o.slabs, "N",
                   "Slabs that a rank makes in turn, at least; storing one overlaps with the next");
    command.option("--timeline", o.timeline, "FOLDER",
                   "With --cluster: store the simulated run there, for `gantry timeline` and the "
                   "desktop");
}

int planCluster(const ClusterOptions& options, const ReconstructionOptions& request, bool json,
                Session& session) {
    checkNumber(options.ranks, kMaxRanks, "--ranks");
    checkNumber(options.slabs, kMaxOfAProblem, "--slabs-per-rank");
    const Cluster cluster = findCluster(options.cluster);
    const Subject subject = subjectOf(options, request, session);
    const ClusterProblem problem = subject.problem();
    std::vector<Planned> all;
    const Index gridRows = request.job.gridRows;
    const auto rows = gridRows > 0 ? std::optional(gridRows) : std::nullopt;
    for (const Exchange exchange : {Exchange::gather, Exchange::rows}) {
        if (request.job.exchange.value_or(exchange) != exchange) continue;
        Planned planned;
        planned.forecast =
            chooseGrid(cluster, problem, options.ranks, {exchange, rows, options.slabs});
        planned.simulation = simulateRun(planned.forecast, cluster.gatherExposed);
        all.push_back(std::move(planned));
    }
    const Planned* best = &all.front();
    for (const Planned& planned : all)
        if (planned.simulation.seconds < best->simulation.seconds) best = &planned;
    if (!options.timeline.empty())
        writeSimulatedEvents(options.timeline, best->simulation.spans, best->simulation.seconds);
    if (json) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const Planned& planned : all)
            list.push_back(toJson(planned, options.ranks - planned.forecast.grid.ranks()));
        showJson({{"cluster", cluster.name},
                  {"ranks", options.ranks},
                  {"outputBytes", subject.outputBytesPerVoxel * subject.grid.count()},
                  {"fastest", std::string(name(best->forecast.grid.exchange))},
                  {"exchanges", list}});
    } else {
        print(subject, cluster, options, all);
        if (all.size() > 1)
            show("  Views reach the ranks fastest by {}.\n", name(best->forecast.grid.exchange));
    }
    return 0;
}

}  // namespace gantry
