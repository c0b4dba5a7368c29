#include "app/bench/job_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <span>

#include "app/bench/bench_folder.h"
#include "app/bench/child.h"
#include "app/bench/kernel_bench.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/io/scan_file/scan_file.h"
#include "core/job/forecast_file.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr const char* kViewsFile = "views.raw";

Index viewPixels(const ConeProblem& problem) {
    return problem.geometry.detector.columns * problem.geometry.detector.rows;
}

void requireRoom(const ConeProblem& problem, const fs::path& folder) {
    const Index views =
        viewPixels(problem) * problem.geometry.views() * Index{sizeof(std::uint16_t)};
    const Index needed = views + problem.grid.count() * Index{sizeof(float)};
    if (const Index room = freeDiskBytes(folder); needed > room)
        throw ResourceError(
            fmt::format("There is not enough room in {} for {}: its views and its volume need {}, "
                        "and {} are free. Choose another place with --folder, or smaller problems "
                        "with --detector and --views.",
                        folder.string(), problem.title, formatBytes(needed), formatBytes(room)));
}

// Counts by chance, other ones in every view: the same row of numbers, begun at another place.
void writeViews(const ConeProblem& problem, const fs::path& path, const std::stop_token& stop) {
    const Index views = problem.geometry.views();
    const Index pixels = viewPixels(problem);
    std::vector<std::uint16_t> counts(static_cast<std::size_t>(pixels + views));
    std::minstd_rand random(1);
    std::uniform_int_distribution<int> some(20'000, 60'000);
    for (std::uint16_t& count : counts)
        count = static_cast<std::uint16_t>(some(random));
    File file(path, File::Mode::create);
    parallelFor(
        availableThreads(), views, 1,
        [&](Index begin, Index end, int) {
            for (Index s = begin; s < end; ++s) {
                const auto view = std::span(counts).subspan(static_cast<std::size_t>(s),
                                                            static_cast<std::size_t>(pixels));
                file.writeAt(s * static_cast<Index>(view.size_bytes()), std::as_bytes(view));
            }
        },
        stop);
    file.close();
    const nlohmann::ordered_json header = {{"gantryRaw", 1},
                                           {"columns", problem.geometry.detector.columns},
                                           {"rows", problem.geometry.detector.rows},
                                           {"views", views},
                                           {"type", "uint16"}};
    writeFileAtomically(path.string() + ".json", jsonText(header));
}

fs::path writeScan(const ConeProblem& problem, const fs::path& folder,
                   const std::stop_token& stop) {
    writeViews(problem, folder / kViewsFile, stop);
    ScanFile scan;
    scan.folder = folder;
    scan.path = folder / "scan.json";
    scan.name = problem.name;
    scan.geometry = problem.geometry;
    scan.projections.files = kViewsFile;
    scan.projections.flatValue = 65535;
    scan.volume = problem.grid;
    writeFileAtomically(scan.path, toJson(scan));
    return scan.path;
}

// How many threads or GPUs do a stage side by side.
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

// What one run says of itself.
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
        m_scan = writeScan(problem, m_folder.path(), stop);
    }

    // With what forecast() found beforehand, if it did.
    JobFigures run() {
        const BenchFolder place(m_folder.path());
        return run(place.path(), {});
    }

    // By one more job, as measuring for a forecast takes part of its time.
    void forecast() {
        const BenchFolder place(m_folder.path());
        (void)run(place.path(), {"--forecast"});
        m_forecast = readForecast(jobIn(place.path()));
    }

    double kernelGups(const std::string& kernel) {
        const std::string printed = outputOfProgram(
            {"bench", "kernels", "--json", "--only", m_problem.name, "--only", kernel},
            m_folder.path(), m_stop);
        const nlohmann::json found = ownJson(printed)["problems"][0]["kernels"][0];
        return found.contains("gups") ? found["gups"].get<double>() : 0;
    }

  private:
    static fs::path jobIn(const fs::path& place) { return place / "job"; }

    JobFigures run(const fs::path& place, const std::vector<std::string>& more) {
        std::vector<std::string> words = {
            "reconstruct", m_scan.string(),       "--out", (place / "volume.raw").string(),
            "--job",       jobIn(place).string(), "--json"};
        words.insert(words.end(), m_request.options.begin(), m_request.options.end());
        words.insert(words.end(), more.begin(), more.end());
        const nlohmann::json result = ownJson(outputOfProgram(words, place, m_stop));
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
    if (request.withKernel && figures.gpus > 0)
        figures.kernelGups = bench.kernelGups(figures.kernel);
    return figures;
}

}  // namespace gantry
