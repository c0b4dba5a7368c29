#include "app/bench/grid_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/bench/bench_folder.h"
#include "app/bench/bench_scan.h"
#include "app/bench/child.h"
#include "core/base/json_text.h"
#include "core/base/throw_error.h"
#include "core/job/event_log.h"
#include "core/job/forecast_file.h"
#include "core/job/plan_file.h"
#include "core/machine/rank_times.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

std::vector<GridRun> gridsOf(int ranks) {
    std::vector<GridRun> grids = {{}};
    for (Index rows = ranks; rows > 0; --rows) {
        if (ranks % rows != 0) continue;
        grids.push_back({rows, ranks / rows, "rows"});
        // The ranks of one row have nothing to gather.
        if (rows > 1) grids.push_back({rows, ranks / rows, "gather"});
    }
    GridRun chosen;
    chosen.isChosen = true;
    grids.push_back(chosen);
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
        takeStages(one, result["timeline"], forecast.value_or(Forecast()));
        takeEnds(one, readEvents(job / "events.jsonl").spans);
        if (const std::optional<GridPlan> plan = readGridPlan(job); plan && one.isChosen) {
            one.rows = plan->grid.rows;
            one.columns = plan->grid.columns;
            one.exchange = name(plan->grid.exchange);
        }
        if (!m_request.keep.empty()) keep(job, one);
    }

  private:
    static void takeStages(GridRun& one, const nlohmann::json& timeline, const Forecast& forecast) {
        one.overlapFactor = timeline["overlapFactor"];
        one.stages.clear();
        for (const nlohmann::json& stage : timeline["stages"]) {
            const Stage which = parseStage(stage["stage"].get<std::string>());
            one.stages.push_back({which, stage["seconds"], laneSecondsOf(forecast, which)});
        }
    }

    static void takeEnds(GridRun& one, const std::vector<TimelineSpan>& spans) {
        if (spans.empty()) return;
        const auto first = std::ranges::min_element(
            spans, [](const auto& a, const auto& b) { return a.beginNs < b.beginNs; });
        one.beginSeconds = 1e-9 * static_cast<double>(first->beginNs);
        const double work = workSecondsOf(spans);
        one.endSeconds = std::max(0.0, one.wallSeconds - one.beginSeconds - work);
    }

    void keep(const fs::path& job, const GridRun& one) const {
        const std::string grid = one.isChosen ? "chosen"
                                 : one.rows == 0
                                     ? "one-process"
                                     : fmt::format("{}x{}-{}", one.rows, one.columns, one.exchange);
        const fs::path to = m_request.keep / grid;
        std::error_code failed;
        fs::remove_all(to, failed);
        fs::create_directories(m_request.keep, failed);
        fs::copy(job, to, fs::copy_options::recursive, failed);
        if (failed)
            throwError<ResourceError>("{} cannot be written: {}.", to.string(), failed.message());
    }

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
        if (one.isChosen)
            words.insert(words.end(), {"--ranks", std::to_string(m_request.ranks)});
        else if (one.rows == 0)
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
