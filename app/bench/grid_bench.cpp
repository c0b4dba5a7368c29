#include "app/bench/grid_bench.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "app/bench/bench_folder.h"
#include "app/bench/bench_scan.h"
#include "app/bench/child.h"
#include "core/base/json_text.h"
#include "core/job/forecast_file.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

std::vector<GridRun> gridsOf(int ranks) {
    std::vector<GridRun> grids = {{0, 0, "", 0, 0}};
    for (Index rows = ranks; rows > 0; --rows) {
        if (ranks % rows != 0) continue;
        grids.push_back({rows, ranks / rows, "rows", 0, 0});
        // The ranks of one row have nothing to gather.
        if (rows > 1) grids.push_back({rows, ranks / rows, "gather", 0, 0});
    }
    return grids;
}

class GridBench {
  public:
    GridBench(const ConeProblem& problem, const GridBenchRequest& request, const fs::path& folder,
              const std::stop_token& stop)
        : m_problem(problem), m_request(request), m_folder(folder), m_stop(stop) {
        m_scan = writeBenchScan(problem, m_folder.path(), stop);
    }

    void run(GridRun& one) const {
        const BenchFolder place(m_folder.path());
        const fs::path job = place.path() / "job";
        const nlohmann::json result = ownJson(outputOfProgram(wordsOf(one, place.path()), m_stop));
        const std::optional<Forecast> forecast = readForecast(job);
        one.wallSeconds = result["wallSeconds"];
        one.forecastSeconds = forecast ? forecast->wall : 0;
        one.stages.clear();
        for (const nlohmann::json& stage : result["timeline"]["stages"]) {
            const Stage which = parseStage(stage["stage"].get<std::string>());
            one.stages.push_back(
                {which, stage["seconds"], forecast ? laneSecondsOf(*forecast, which) : 0});
        }
    }

  private:
    [[nodiscard]] std::vector<std::string> wordsOf(const GridRun& one,
                                                   const fs::path& place) const {
        const auto& grid = m_problem.grid;
        std::vector<std::string> words = {
            "reconstruct",
            m_scan.string(),
            "--voxels",
            fmt::format("{}x{}x{}", grid.voxels[0], grid.voxels[1], grid.voxels[2]),
            "--pitch-mm",
            fmt::format("{}", grid.pitchMm[0]),
            "--engine",
            m_request.engine,
            "--no-checksum",
            "--out",
            (place / "volume.raw").string(),
            "--job",
            (place / "job").string(),
            "--json"};
        if (one.rows == 0)
            words.emplace_back("--forecast");
        else
            words.insert(words.end(), {"--ranks", std::to_string(m_request.ranks), "--grid-rows",
                                       std::to_string(one.rows), "--exchange", one.exchange});
        return words;
    }

    const ConeProblem& m_problem;
    const GridBenchRequest& m_request;
    const BenchFolder m_folder;
    const std::stop_token m_stop;
    fs::path m_scan;
};

}  // namespace

std::vector<GridRun> benchGrids(const ConeProblem& problem, const GridBenchRequest& request,
                                const fs::path& folder, const std::stop_token& stop,
                                const std::function<void(double)>& onRun) {
    constexpr int kRuns = 2;
    const GridBench bench(problem, request, folder, stop);
    std::vector<GridRun> all = gridsOf(request.ranks);
    double runs = 0;
    for (GridRun& one : all)
        for (int i = 0; i < kRuns; ++i) {
            bench.run(one);
            onRun(++runs / static_cast<double>(kRuns * all.size()));
        }
    return all;
}

}  // namespace gantry
