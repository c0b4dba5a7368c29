#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/bench/bench_folder.h"
#include "app/bench/job_bench.h"
#include "app/cli/field_options.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/base/version.h"
#include "core/cpu/cpu_backend.h"
#include "core/job/job_fields.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

constexpr Index kColumns = 1024;
constexpr Index kViews = 1024;

struct BenchJobsOptions {
    std::vector<std::string> only;
    fs::path folder = memoryFolder();
    Index columns = kColumns;
    Index views = kViews;
    int runs = 3;
    std::string engine = "auto";
    std::string precision = "exact";
    std::string devices;
    std::string memory;
    bool quick = false;
    bool json = false;
};

constexpr const char* kJobLegend =
    "  cold, wall      of the first job, and the median of later ones, files in memory\n"
    "  / longest       wall time over the longest stage: 1 where all else is hidden behind it\n"
    "  GUPS            of back-projection in the job, all GPUs together\n"
    "  / kernel        the same over what `gantry bench kernels` measures of the kernel alone\n"
    "  forecast / …    what --forecast says when files are warm, over what was measured";

void requireIn(const char* option, Index value, Index min, Index max) {
    if (value < min || value > max)
        throwError<InputError>("{} is {}; it must be {} to {}.", option, value, min, max);
}

std::vector<ConeProblem> problemsOf(const BenchJobsOptions& o) {
    requireIn("--detector", o.columns, 16, 8192);
    requireIn("--views", o.views, 8, 100'000);
    requireIn("--runs", o.runs, 1, 100);
    std::vector<ConeProblem> all = defaultGrids(o.columns, o.views);
    for (ConeProblem& corrected : correctedScans(o.columns, o.views))
        all.push_back(std::move(corrected));
    std::vector<ConeProblem> chosen;
    for (const std::string& word : o.only) {
        const auto found = std::ranges::find(all, word, &ConeProblem::name);
        if (found == all.end()) {
            std::vector<std::string> names;
            names.reserve(all.size());
            for (const ConeProblem& one : all)
                names.push_back(one.name);
            throwError<InputError>("--only is '{}'; it must be one of {}.", word,
                                   fmt::join(names, ", "));
        }
        chosen.push_back(*found);
    }
    if (!chosen.empty()) return chosen;
    // The default volume, one with voxels larger than pixels and one with small voxels.
    if (o.quick) return {all[1], all[6], all[7]};
    return all;
}

JobBenchRequest requestOf(const BenchJobsOptions& o) {
    JobBenchRequest request;
    request.runs = o.runs;
    request.options = {"--engine", o.engine, "--precision", o.precision};
    if (!o.devices.empty()) request.options.insert(request.options.end(), {"--devices", o.devices});
    if (!o.memory.empty()) request.options.insert(request.options.end(), {"--memory", o.memory});
    // The kernel itself is measured only at the table's own sizes.
    request.withKernel = o.columns == kColumns && o.views == kViews;
    return request;
}

// "0.98"; "–" if there is nothing to divide by.
std::string ratio(double a, double b) {
    return a > 0 && b > 0 ? fmt::format("{:.2f}", a / b) : "–";
}

void print(const ConeProblem& problem, const JobFigures& f) {
    show("\n{}  ({}), {}\n{}", problem.title, problem.name, f.device,
         textTable({{"kernel", "cold", "wall", "/ longest", "GUPS", "/ kernel"},
                    {f.gpus > 1 ? fmt::format("{}, {} GPUs", f.kernel, f.gpus) : f.kernel,
                     formatDuration(f.coldWallSeconds), formatDuration(f.wallSeconds),
                     fmt::format("{:.2f}", f.overLongestStage()), fmt::format("{:.1f}", f.gups),
                     f.kernelGups > 0 ? fmt::format("{:.2f}", f.ofKernel()) : "–"}}));
    std::vector<std::string> names = {"", "wall"};
    std::vector<std::string> measured = {"measured", formatDuration(f.wallSeconds)};
    std::vector<std::string> forecast = {"forecast / measured",
                                         ratio(f.forecastSeconds, f.wallSeconds)};
    for (const JobStage& one : f.stages) {
        names.emplace_back(name(one.stage));
        measured.push_back((one.lanes > 1 ? fmt::format("{} × ", one.lanes) : "") +
                           formatDuration(one.seconds / one.lanes));
        forecast.push_back(ratio(one.forecastSeconds, one.seconds));
    }
    show("{}", textTable({names, measured, forecast}));
    std::fflush(stdout);
}

Json toJson(const ConeProblem& problem, const JobFigures& f) {
    Json stages = Json::array();
    for (const JobStage& one : f.stages)
        stages.push_back({{"stage", std::string(name(one.stage))},
                          {"lanes", one.lanes},
                          {"seconds", one.seconds},
                          {"forecastSeconds", one.forecastSeconds}});
    return {{"problem", problem.name},
            {"title", problem.title},
            {"voxels", problem.grid.voxels},
            {"pitchMm", problem.grid.pitchMm},
            {"kernel", f.kernel},
            {"gpus", f.gpus},
            {"device", f.device},
            {"coldWallSeconds", f.coldWallSeconds},
            {"wallSeconds", f.wallSeconds},
            {"forecastSeconds", f.forecastSeconds},
            {"wallOverLongestStage", f.overLongestStage()},
            {"gups", f.gups},
            {"kernelGups", f.kernelGups},
            {"stages", stages}};
}

int benchJobs(const BenchJobsOptions& o, Session& session) {
    const std::vector<ConeProblem> problems = problemsOf(o);
    const JobBenchRequest request = requestOf(o);
    const std::string date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    if (!o.json)
        show("{}, Gantry {}, {}, --precision {}\n{}\n", cpuName(), programVersion(), date,
             o.precision, kJobLegend);
    ProgressLine progress("Measuring", o.json);
    const double runs = static_cast<double>(problems.size()) * (request.runs + 3);
    double done = 0;
    Json jobs = Json::array();
    for (const ConeProblem& problem : problems) {
        const JobFigures figures = benchJob(problem, request, o.folder, session.stop(),
                                            [&] { progress.update(++done / runs); });
        jobs.push_back(toJson(problem, figures));
        progress.end();
        if (!o.json) print(problem, figures);
    }
    if (o.json) {
        const Json document = {{"cpu", cpuName()},
                               {"gantry", std::string(programVersion())},
                               {"date", date},
                               {"precision", o.precision},
                               {"jobs", jobs}};
        showJson(document);
    }
    return 0;
}

}  // namespace

void addBenchJobs(Command bench) {
    auto options = std::make_shared<BenchJobsOptions>();
    Command command = bench.command(
        "jobs", "Whole jobs from files in memory: what they get of the kernels, and forecasts");
    command.repeated("--only", options->only, "NAME",
                     "Measure only this job (such as 1k-default or 1k-short)");
    command.option("--folder", options->folder, "FOLDER",
                   "Where views and volumes are made: by default in memory, up to 46 GB");
    command.option("--detector", options->columns, "N",
                   "Columns and rows of the detector; the default volume is also made at half and "
                   "twice as many");
    command.option("--views", options->views, "N", "Views of the circle");
    command.option("--runs", options->runs, "N",
                   "Jobs after those that warm up; their median counts");
    addRow(command, jobFields(), "engine", options->engine);
    addRow(command, jobFields(), "precision", options->precision);
    addRow(command, jobFields(), "devices", options->devices);
    addRow(command, jobFields(), "memoryBytes", options->memory);
    command.flag("--quick", options->quick, "Three of the jobs");
    command.flag("--json", options->json, "Print one JSON document");
    command.examples(
        "  gantry bench jobs --quick\n"
        "  gantry bench jobs --only 2k-default --precision fast --json\n"
        "  gantry bench jobs --engine cpu --detector 128 --views 180");
    command.action([options](Session& session) { return benchJobs(*options, session); });
}

}  // namespace gantry
