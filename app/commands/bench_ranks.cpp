#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/bench/bench_folder.h"
#include "app/bench/grid_bench.h"
#include "app/bench/rank_bench.h"
#include "app/cli/field_options.h"
#include "app/cli/launch_ranks.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/cpu/cpu_backend.h"
#include "core/job/job_fields.h"
#include "core/plan/performance_model.h"

namespace gantry {

namespace {

struct BenchRanksOptions {
    bool quick = false;
    bool grids = false;
    int ranks = 2;
    std::optional<Index> voxels;
    std::string engine = "auto";
    bool json = false;
    std::filesystem::path folder = memoryFolder();
    std::filesystem::path keep;
};

// voxels: along each axis, and as many pixels and views; none: a problem for two cores
ConeProblem problemOf(bool quick, const std::optional<Index>& voxels) {
    ConeProblem problem;
    const Index columns = voxels.value_or(quick ? 64 : 224);
    problem.geometry.cone().sourceToIsocenterMm = 600;
    problem.geometry.cone().sourceToDetectorMm = 1200;
    problem.geometry.cone().views = voxels.value_or(quick ? 60 : 128);
    problem.geometry.detector.columns = problem.geometry.detector.rows = columns;
    problem.geometry.detector.pitchMm.fill(200.0 / static_cast<double>(columns));
    problem.grid.voxels.fill(columns);
    problem.grid.pitchMm.fill(5.0 / 6 * 100 / static_cast<double>(columns));
    problem.title = fmt::format("{0}² × {1} → {0}³", columns, problem.geometry.cone().views);
    problem.name = "ranks";
    return problem;
}

std::string caseOf(const UnequalRanks& one) {
    if (one.speed == 1) return "both at full speed";
    const char* speed = one.speed == 0.5 ? "a half" : "a quarter";
    if (one.afterSeconds == 0) return fmt::format("one at {}", speed);
    return fmt::format("one at {} after {}", speed, formatDuration(one.afterSeconds));
}

void print(const ConeProblem& problem, const std::vector<UnequalRanks>& cases) {
    show("{}; two ranks of one thread, a core each, {}\n", cpuName(), problem.title);
    TextRows rows = {{"Ranks", "ideal", "uniform", "/ ideal", "measured", "/ ideal", "shares %",
                      "moved slices"}};
    for (const UnequalRanks& one : cases)
        rows.push_back({caseOf(one), formatDuration(one.idealSeconds),
                        formatDuration(one.uniformSeconds),
                        fmt::format("{:.2f}", one.uniformSeconds / one.idealSeconds),
                        formatDuration(one.measuredSeconds),
                        fmt::format("{:.2f}", one.measuredSeconds / one.idealSeconds),
                        fmt::format("{:.0f}, {:.0f}", 100 * one.shares[0], 100 * one.shares[1]),
                        fmt::format("{}", one.movedSlices)});
    show(
        "{}\nShares by what nodes have, as --weights computes them; in brackets as Orr, "
        "Jimenez and Thompson print them, %\n",
        textTable(rows));
    TextRows shares = {{"Cluster, scheme", "node 1", "node 2", "node 3", "node 4"}};
    for (const PaperShares& one : paperShares()) {
        shares.push_back({one.cluster + ", " + one.scheme});
        for (std::size_t node = 0; node < one.ours.size(); ++node)
            shares.back().push_back(
                fmt::format("{:.1f} ({:.1f})", one.ours[node], one.printed[node]));
    }
    show("{}", textTable(shares));
}

nlohmann::ordered_json toJson(const ConeProblem& problem, const std::vector<UnequalRanks>& cases) {
    nlohmann::ordered_json document = {{"cpu", cpuName()}, {"problem", problem.title}};
    for (const UnequalRanks& one : cases)
        document["cases"].push_back({{"speed", one.speed},
                                     {"afterSeconds", one.afterSeconds},
                                     {"idealSeconds", one.idealSeconds},
                                     {"uniformSeconds", one.uniformSeconds},
                                     {"measuredSeconds", one.measuredSeconds},
                                     {"shares", one.shares},
                                     {"movedSlices", one.movedSlices}});
    for (const PaperShares& one : paperShares())
        document["paper"].push_back({{"cluster", one.cluster},
                                     {"scheme", one.scheme},
                                     {"printedPercent", one.printed},
                                     {"percent", one.ours}});
    return document;
}

std::string gridOf(const GridRun& run) {
    if (run.rows == 0) return "one process";
    return fmt::format("{} × {} {}{}", run.rows, run.columns, run.exchange,
                       run.isChosen ? " (chosen)" : "");
}

const GridRun::StageSeconds* find(const GridRun& run, Stage stage) {
    const auto found =
        std::ranges::find_if(run.stages, [&](const auto& one) { return one.stage == stage; });
    return found == run.stages.end() ? nullptr : &*found;
}

std::string known(double seconds) {
    return seconds > 0 ? fmt::format("{:.2f}", seconds) : "–";
}

TextRows timesOf(const std::vector<GridRun>& runs) {
    TextRows table = {{"Grid", "wall", "forecast", "forecast / wall", "speed of one process",
                       "overlap", "before stages", "after"}};
    for (const GridRun& run : runs)
        table.push_back({gridOf(run), known(run.wallSeconds), known(run.forecastSeconds),
                         known(run.forecastSeconds / run.wallSeconds),
                         known(runs.front().wallSeconds / run.wallSeconds),
                         known(run.overlapFactor), known(run.beginSeconds), known(run.endSeconds)});
    return table;
}

// Two lines each: measured and predicted. Stages that none of them has are left out.
TextRows stagesOf(const std::vector<GridRun>& runs) {
    std::vector<Stage> stages;
    for (const ForecastField& field : kForecastFields)
        if (std::ranges::any_of(runs, [&](const GridRun& run) { return find(run, field.stage); }))
            stages.push_back(field.stage);
    TextRows table = {{"Grid"}};
    for (const Stage stage : stages)
        table.front().emplace_back(name(stage));
    for (const GridRun& run : runs) {
        std::vector<std::string> measured = {gridOf(run)};
        std::vector<std::string> predicted = {"  forecast"};
        for (const Stage stage : stages) {
            const GridRun::StageSeconds* const found = find(run, stage);
            measured.push_back(known(found ? found->seconds : 0));
            predicted.push_back(known(found ? found->forecastSeconds : 0));
        }
        table.push_back(std::move(measured));
        table.push_back(std::move(predicted));
    }
    return table;
}

void print(const ConeProblem& problem, const std::vector<GridRun>& runs) {
    show(
        "{}; {}. Seconds of the second run of each\n{}\nStages, of all ranks and threads "
        "together, beside their forecast\n{}",
        cpuName(), problem.title, textTable(timesOf(runs)), textTable(stagesOf(runs)));
}

nlohmann::ordered_json toJson(const ConeProblem& problem, const std::vector<GridRun>& runs) {
    nlohmann::ordered_json document = {{"cpu", cpuName()}, {"problem", problem.title}};
    for (const GridRun& run : runs) {
        auto stages = nlohmann::ordered_json::array();
        for (const auto& one : run.stages)
            stages.push_back({{"stage", std::string(name(one.stage))},
                              {"seconds", one.seconds},
                              {"forecastSeconds", one.forecastSeconds}});
        document["grids"].push_back({{"rows", run.rows},
                                     {"columns", run.columns},
                                     {"exchange", run.exchange},
                                     {"wallSeconds", run.wallSeconds},
                                     {"forecastSeconds", run.forecastSeconds},
                                     {"isChosen", run.isChosen},
                                     {"beginSeconds", run.beginSeconds},
                                     {"endSeconds", run.endSeconds},
                                     {"overlapFactor", run.overlapFactor},
                                     {"stages", stages}});
    }
    return document;
}

int benchTheGrids(const BenchRanksOptions& o, Session& session) {
    checkRanks(o.ranks);
    if (o.voxels && (*o.voxels < 16 || *o.voxels > 8192))
        throwError<InputError>("--voxels is {}; it must be 16 to 8192.", *o.voxels);
    const ConeProblem problem = problemOf(o.quick, o.voxels);
    ProgressLine progress("Measuring", o.json);
    const std::vector<GridRun> runs =
        benchGrids(problem, {o.ranks, o.engine, o.keep}, o.folder, session.stop(),
                   [&](double part) { progress.update(part); });
    progress.end();
    if (o.json)
        showJson(toJson(problem, runs));
    else
        print(problem, runs);
    return 0;
}

int benchTheRanks(const BenchRanksOptions& o, Session& session) {
    if (o.grids) return benchTheGrids(o, session);
    checkRanks(2);
    const ConeProblem problem = problemOf(o.quick, {});
    ProgressLine progress("Measuring", o.json);
    const std::vector<UnequalRanks> cases = benchUnequalRanks(
        problem, o.folder, session.stop(), [&](double part) { progress.update(part); });
    progress.end();
    if (o.json)
        showJson(toJson(problem, cases));
    else
        print(problem, cases);
    return 0;
}

}  // namespace

void addBenchRanks(Command bench) {
    auto options = std::make_shared<BenchRanksOptions>();
    Command command = bench.command(
        "ranks",
        "Two ranks of which one is slowed down: uniform and measured shares of the work; or every "
        "grid of ranks beside its forecast");
    command.option("--folder", options->folder, "FOLDER", "Where scan and volume are written");
    command.flag("--quick", options->quick, "A small volume, in about half a minute");
    command.flag("--grids", options->grids,
                 "Every grid of ranks by every exchange, beside one process and the forecasts");
    command.option("--ranks", options->ranks, "N", "With --grids: how many");
    command.option("--voxels", options->voxels, "N",
                   "With --grids: N² pixels in N views → N³ voxels; by default a small problem");
    addRow(command, jobFields(), "engine", options->engine, "with --grids alone");
    command.option("--keep-jobs", options->keep, "FOLDER",
                   "With --grids: the jobs' folders are kept here, with timeline and report");
    command.flag("--json", options->json, "Print one JSON document");
    command.examples(
        "  gantry bench ranks\n  gantry bench ranks --quick --json\n"
        "  gantry bench ranks --grids --ranks 4 --voxels 2048 --engine gpu");
    command.action([options](Session& session) { return benchTheRanks(*options, session); });
}

}  // namespace gantry
