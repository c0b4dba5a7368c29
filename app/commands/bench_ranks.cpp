#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/bench/bench_folder.h"
#include "app/bench/rank_bench.h"
#include "app/cli/launch_ranks.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/cpu/cpu_backend.h"

namespace gantry {

namespace {

struct BenchRanksOptions {
    bool quick = false;
    bool json = false;
    std::filesystem::path folder = memoryFolder();
};

ConeProblem problemOf(bool quick) {
    ConeProblem problem;
    const Index columns = quick ? 64 : 224;
    problem.geometry.cone().sourceToIsocenterMm = 600;
    problem.geometry.cone().sourceToDetectorMm = 1200;
    problem.geometry.cone().views = quick ? 60 : 128;
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
    fmt::print("{}; two ranks of one thread, a core each, {}\n", cpuName(), problem.title);
    std::vector<std::vector<std::string>> rows = {{"Ranks", "ideal", "uniform", "/ ideal",
                                                   "measured", "/ ideal", "shares %",
                                                   "moved slices"}};
    for (const UnequalRanks& one : cases)
        rows.push_back({caseOf(one), formatDuration(one.idealSeconds),
                        formatDuration(one.uniformSeconds),
                        fmt::format("{:.2f}", one.uniformSeconds / one.idealSeconds),
                        formatDuration(one.measuredSeconds),
                        fmt::format("{:.2f}", one.measuredSeconds / one.idealSeconds),
                        fmt::format("{:.0f}, {:.0f}", 100 * one.shares[0], 100 * one.shares[1]),
                        fmt::format("{}", one.movedSlices)});
    fmt::print(
        "{}\nShares by what nodes have, as --weights computes them; in brackets as Orr, "
        "Jimenez and Thompson print them, %\n",
        textTable(rows));
    std::vector<std::vector<std::string>> shares = {
        {"Cluster, scheme", "node 1", "node 2", "node 3", "node 4"}};
    for (const PaperShares& one : paperShares()) {
        shares.push_back({one.cluster + ", " + one.scheme});
        for (std::size_t node = 0; node < one.ours.size(); ++node)
            shares.back().push_back(
                fmt::format("{:.1f} ({:.1f})", one.ours[node], one.printed[node]));
    }
    fmt::print("{}", textTable(shares));
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

int benchTheRanks(const BenchRanksOptions& o, Session& session) {
    checkRanks(2);
    const ConeProblem problem = problemOf(o.quick);
    ProgressLine progress("Measuring", o.json);
    const std::vector<UnequalRanks> cases = benchUnequalRanks(
        problem, o.folder, session.stop(), [&](double part) { progress.update(part); });
    progress.end();
    if (o.json)
        fmt::print("{}\n", shownJson(toJson(problem, cases)));
    else
        print(problem, cases);
    return 0;
}

}  // namespace

void addBenchRanks(Command bench) {
    auto options = std::make_shared<BenchRanksOptions>();
    Command command = bench.command(
        "ranks", "Two ranks of which one is slowed down: uniform and measured shares of the work");
    command.option("--folder", options->folder, "FOLDER", "Where scan and volume are written");
    command.flag("--quick", options->quick, "A small volume, in about half a minute");
    command.flag("--json", options->json, "Print one JSON document");
    command.examples("  gantry bench ranks\n  gantry bench ranks --quick --json");
    command.action([options](Session& session) { return benchTheRanks(*options, session); });
}

}  // namespace gantry
