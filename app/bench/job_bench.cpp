#include "app/bench/job_bench.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/bench/bench_folder.h"
#include "app/bench/bench_scan.h"
#include "app/bench/child.h"
#include "app/bench/kernel_bench.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/job/forecast_file.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

void requireRoom(const ConeProblem& problem, const fs::path& folder) {
    const Index needed =
        benchScanBytes(problem.geometry) + problem.grid.count() * Index{sizeof(float)};
    if (const Index room = freeDiskBytes(folder); needed > room)
        throwError<ResourceError>(
            "There is not enough room in {} for {}: its views and its volume need {}, and {} are "
            "free. Choose another place with --folder, or smaller problems with --detector and "
            "--views.",
            folder.string(), problem.title, formatBytes(needed), formatBytes(room));
}

// The number of threads or GPUs that do a stage in parallel.
int lanesOf(Stage stage, const nlohmann::json& plan) {
    const auto devices = static_cast<int>(plan["devices"].size());
    const std::string handedOver = plan["handedOver"];
    switch (stage) {
        case Stage::upload:
        case Stage::backproject:
        case Stage::download:
            return devices;
        case Stage::prepare:
            return handedOver == "stored" ? devices : 1;
        case Stage::filter:
            return handedOver == "filtered" ? 1 : devices;
        case Stage::store:
            return plan["storeLanes"];
        default:
            return 1;
    }
}

// The figures that one run reports.
JobFigures figuresOf(const nlohmann::json& result, const nlohmann::json& plan,
                     const std::optional<Forecast>& forecast) {
    JobFigures figures;
    figures.wallSeconds = result["wallSeconds"];
    figures.device = plan["devices"][0]["name"];
    figures.kernel = plan["devices"][0]["kernel"];
    figures.gpus = plan["engine"] == "gpu" ? static_cast<int>(plan["devices"].size()) : 0;
    if (forecast) figures.forecastSeconds = forecast->wall;
    for (const nlohmann::json& one : result["timeline"]["stages"]) {
        JobStage stage;
        stage.stage = parseStage(one["stage"].get<std::string>());
        stage.lanes = lanesOf(stage.stage, plan);
        stage.seconds = one["seconds"];
        if (forecast) stage.forecastSeconds = laneSecondsOf(*forecast, stage.stage);
        // A forecast for the store is for all its threads together.
        if (stage.stage == Stage::store) stage.forecastSeconds *= stage.lanes;
        if (stage.stage == Stage::backproject)
            figures.gups = one["updates"].get<double>() / stage.seconds * stage.lanes / kGiga;
        figures.stages.push_back(stage);
    }
    return figures;
}

class JobBench {
  public:
    JobBench(const ConeProblem& problem, const JobBenchRequest& request, const fs::path& folder,
             const std::stop_token& stop)
        : m_problem(problem), m_request(request), m_folder(folder), m_stop(stop) {
        requireRoom(problem, folder);
        m_scan = writeBenchScan(problem, m_folder.path(), stop);
    }

    // Includes the result of forecast(), if it was called before.
    JobFigures run() {
        const BenchFolder place(m_folder.path());
        return run(place.path(), {});
    }

    // Runs one more job, because measuring for a forecast takes part of its time.
    void forecast() {
        const BenchFolder place(m_folder.path());
        (void)run(place.path(), {"--forecast"});
        m_forecast = readForecast(jobIn(place.path()));
    }

    double kernelGups(const std::string& kernel) {
        const std::string printed = outputOfProgram(
            {"bench", "kernels", "--json", "--only", m_problem.name, "--only", kernel}, m_stop);
        const nlohmann::json found = ownJson(printed)["problems"][0]["kernels"][0];
        return found.contains("gups") ? found["gups"].get<double>() : 0;
    }

  private:
    static fs::path jobIn(const fs::path& place) { return place / "job"; }

    JobFigures run(const fs::path& place, const std::vector<std::string>& more) {
        std::vector<std::string> words = {
            "reconstruct", m_scan.string(),       "--out", (place / "volume.raw").string(),
            "--job",       jobIn(place).string(), "--json"};
        for (const auto* options : {&m_request.options, &m_problem.options, &more})
            words.insert(words.end(), options->begin(), options->end());
        const nlohmann::json result = ownJson(outputOfProgram(words, m_stop));
        return figuresOf(result, ownJson(readTextFile(jobIn(place) / "plan.json")), m_forecast);
    }

    const ConeProblem& m_problem;
    const JobBenchRequest& m_request;
    BenchFolder m_folder;
    std::stop_token m_stop;
    fs::path m_scan;
    std::optional<Forecast> m_forecast;
};

}  // namespace

double JobFigures::ofKernel() const {
    return kernelGups > 0 ? gups / (kernelGups * gpus) : 0;
}

double JobFigures::overLongestStage() const {
    double longest = 0;
    for (const JobStage& one : stages)
        longest = std::max(longest, one.seconds / one.lanes);
    return longest > 0 ? wallSeconds / longest : 0;
}

JobFigures benchJob(const ConeProblem& problem, const JobBenchRequest& request,
                    const fs::path& folder, const std::stop_token& stop,
                    const std::function<void()>& onRun) {
    JobBench bench(problem, request, folder, stop);
    const double coldWallSeconds = bench.run().wallSeconds;
    onRun();
    // The first run is slower than others, and forecasts use the speed of earlier jobs.
    (void)bench.run();
    onRun();
    bench.forecast();
    onRun();
    std::vector<JobFigures> runs;
    for (int i = 0; i < request.runs; ++i) {
        runs.push_back(bench.run());
        onRun();
    }
    const auto middle = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
    std::nth_element(
        runs.begin(), middle, runs.end(),
        [](const JobFigures& a, const JobFigures& b) { return a.wallSeconds < b.wallSeconds; });
    JobFigures figures = *middle;
    figures.coldWallSeconds = coldWallSeconds;
    if (request.withKernel && problem.options.empty() && figures.gpus > 0)
        figures.kernelGups = bench.kernelGups(figures.kernel);
    return figures;
}

}  // namespace gantry
