#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/bench/cone_problems.h"
#include "app/bench/gpu_bench.h"
#include "app/cli/device_json.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "app/wiring/wiring.h"
#include "core/base/throw_error.h"
#include "core/base/version.h"

namespace gantry {

namespace {

std::string sizeName(Index size) {
    return size % 1024 == 0 ? fmt::format("{}k", size / 1024) : fmt::format("{}", size);
}

// `slices` slices of size² voxels from as many views, of pixels and voxels 1 mm wide.
ConeProblem parallelProblem(Index size, Index slices) {
    ConeProblem problem;
    problem.name = fmt::format("parallel-{}-{}", sizeName(size), sizeName(slices));
    problem.title = fmt::format("{} × {}, {} views → {}² × {}", sizeName(size), sizeName(slices),
                                sizeName(size), sizeName(size), sizeName(slices));
    auto& beam = problem.geometry.trajectory.emplace<ParallelBeam>();
    beam.arcDeg = 180;
    beam.views = size;
    problem.geometry.detector.columns = size;
    problem.geometry.detector.rows = slices;
    problem.geometry.detector.pitchMm = {1, 1};
    problem.grid.voxels = {size, size, slices};
    problem.grid.pitchMm = {1, 1, 1};
    return problem;
}

// Scans of a parallel beam over half a circle, whose volumes have a voxel for each pixel: the
// problem of balancing-gpu-subsystems-parallel-beam, 512 slices of 2048² from 2048 views, and
// cubes from 512 to 4096, from as many views as they are wide; the largest has only 512 slices, as
// many as a GPU holds at a time. Tests: tests/cli/test_devices.py
std::vector<ConeProblem> parallelProblems() {
    return {parallelProblem(2048, 512), parallelProblem(512, 512), parallelProblem(1024, 1024),
            parallelProblem(2048, 2048), parallelProblem(4096, 512)};
}

using Json = nlohmann::ordered_json;

struct BenchKernelsOptions {
    std::vector<std::string> only;
    Index views = 0;
    int device = 0;
    bool parallel = false;
    bool quick = false;
    bool json = false;
};

struct Peer {
    const char* name;
    double PublishedRates::*gups;
};

constexpr std::array<Peer, 5> kPeers = {{{"RTK", &PublishedRates::rtk},
                                         {"RTK-32", &PublishedRates::rtk32},
                                         {"ASTRA", &PublishedRates::astra},
                                         {"TIGRE", &PublishedRates::tigre},
                                         {"LEAP", &PublishedRates::leap}}};

constexpr const char* kLegend =
    "  GUPS            2³⁰ voxel updates a second by the kernel alone, median of three rounds\n"
    "  repacking       time to bring the views into the kernel's order, against the kernel's own\n"
    "  views           added a round, as many at a time as in a job: 32, by kernels that gather\n"
    "                  batches 64 or 128; these are spread over the circle, their pixels random, "
    "on\n"
    "                  the GPU, and the same in every batch\n"
    "  error           relative RMSE of 32 views against the reference in double precision, of\n"
    "                  uniform [0, 1) pixels and of zero-mean noise\n"
    "  others          GUPS of their own kernels on an H200; L1-Tran is the iFDK paper's, on a "
    "V100";

std::vector<ConeProblem> coneProblems() {
    std::vector<ConeProblem> problems = paperProblems();
    for (ConeProblem& grid : defaultGrids())
        problems.push_back(std::move(grid));
    problems.push_back(posedProblem());
    return problems;
}

// Whether a problem is measured in some seconds: the others take longer to be made than short
// rounds on them.
bool isQuick(const ConeProblem& problem) {
    constexpr Index kMaxColumns = 512;
    constexpr Index kMaxVoxels = kMaxColumns * kMaxColumns * kMaxColumns;
    return problem.geometry.detector.columns <= kMaxColumns && problem.grid.count() <= kMaxVoxels;
}

// Problems and kernels that --only names; if it names none of a kind, all of that kind, but with
// --quick only the small problems.
GpuBenchRequest makeRequest(const BenchKernelsOptions& o) {
    if (o.views < 0 || o.views > 1024)
        throwError<InputError>("--views is {}; it must be 0 to 1024.", o.views);
    GpuBenchRequest request;
    request.device = deviceNumbered(findDevices(), o.device);
    request.views = o.views;
    const std::vector<std::string> kernels =
        o.parallel ? parallelBenchKernelNames() : coneKernelNames();
    const std::vector<std::string> shapes =
        o.parallel ? std::vector<std::string>{"standard"} : coneKernelShapeNames();
    std::vector<ConeProblem> problems = o.parallel ? parallelProblems() : coneProblems();
    for (const std::string& word : o.only) {
        const auto problem = std::ranges::find(problems, word, &ConeProblem::name);
        if (problem != problems.end()) {
            request.problems.push_back(*problem);
        } else if (std::ranges::find(kernels, word) != kernels.end() ||
                   std::ranges::find(shapes, word) != shapes.end()) {
            request.kernels.push_back(word);
        } else {
            std::vector<std::string> names;
            names.reserve(problems.size());
            for (const ConeProblem& one : problems)
                names.push_back(one.name);
            throwError<InputError>("--only is '{}'; it must be a problem ({}) or a kernel ({}).",
                                   word, fmt::join(names, ", "), fmt::join(kernels, ", "));
        }
    }
    if (request.problems.empty())
        std::ranges::copy_if(problems, std::back_inserter(request.problems),
                             [&](const ConeProblem& one) { return !o.quick || isQuick(one); });
    if (request.kernels.empty()) request.kernels = kernels;
    return request;
}

Json toJson(const GpuKernelFigures& f) {
    if (!f.whyNot.empty()) return {{"kernel", f.kernel}, {"whyNot", f.whyNot}};
    return {{"kernel", f.kernel},
            {"precision", f.isExact ? "exact" : "fast"},
            {"gups", f.gups},
            {"layOutShare", f.repackShare},  // its name since version 0.1.0
            {"views", f.views},
            {"uniformRelativeRmse", f.uniformError},
            {"noiseRelativeRmse", f.noiseError}};
}

Json toJson(const ConeProblem& problem, const std::vector<GpuKernelFigures>& figures) {
    Json kernels = Json::array();
    for (const GpuKernelFigures& one : figures)
        kernels.push_back(toJson(one));
    Json peers = Json::object();
    for (const Peer& peer : kPeers)
        if (problem.published.*peer.gups > 0) peers[peer.name] = problem.published.*peer.gups;
    return {{"problem", problem.name},
            {"title", problem.title},
            {"detector", {problem.geometry.detector.columns, problem.geometry.detector.rows}},
            {"voxels", problem.grid.voxels},
            {"kernels", kernels},
            {"peersGupsOnH200", peers},
            {"l1TranGupsOnV100", problem.published.l1TranV100}};
}

void print(const ConeProblem& problem, const std::vector<GpuKernelFigures>& figures) {
    TextRows rows = {
        {problem.title, "GUPS", "repacking", "views", "error, uniform", "error, noise"}};
    for (const GpuKernelFigures& f : figures)
        if (f.whyNot.empty())
            rows.push_back({f.kernel, fmt::format("{:.0f}", f.gups),
                            fmt::format("{:.1f} %", 100 * f.repackShare),
                            fmt::format("{}", f.views), fmt::format("{:.1e}", f.uniformError),
                            fmt::format("{:.1e}", f.noiseError)});
    show("\n{}  ({})\n", textTable(rows), problem.name);
    for (const GpuKernelFigures& f : figures)
        if (!f.whyNot.empty()) show("  {} was left out: it {}\n", f.kernel, f.whyNot);
    std::vector<std::string> others;
    for (const Peer& peer : kPeers)
        if (problem.published.*peer.gups > 0)
            others.push_back(fmt::format("{} {:.0f}", peer.name, problem.published.*peer.gups));
    if (problem.published.l1TranV100 > 0)
        others.push_back(fmt::format("L1-Tran {:.1f} (V100)", problem.published.l1TranV100));
    if (!others.empty()) show("  others: {}\n", fmt::join(others, ", "));
    std::fflush(stdout);
}

int benchTheKernels(const BenchKernelsOptions& o, Session& session) {
    const GpuBenchRequest request = makeRequest(o);
    const std::string date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    if (!o.json)
        show("{}, CUDA {}, Gantry {}, {}\n{}\n", request.device.name,
             cudaVersion(request.device.driverVersion), programVersion(), date, kLegend);
    ProgressLine progress("Measuring", o.json);
    const BenchContext context = {
        session.stop(), [&](double fraction) { progress.update(fraction); }, o.quick ? 0.05 : 0.5};
    Json problems = Json::array();
    benchConeKernels(request, context,
                     [&](const ConeProblem& problem, const std::vector<GpuKernelFigures>& figures) {
                         problems.push_back(toJson(problem, figures));
                         progress.end();
                         if (!o.json) print(problem, figures);
                     });
    progress.end();
    if (o.json) {
        Json document = {{"device", deviceJson(request.device)},
                         {"gantry", std::string(programVersion())},
                         {"date", date}};
        if (!o.parallel) document["circleViews"] = 1024;
        document["problems"] = problems;
        showJson(document);
    }
    return 0;
}

}  // namespace

void addBenchKernels(Command bench) {
    auto options = std::make_shared<BenchKernelsOptions>();
    Command command = bench.command(
        "kernels",
        "GPU back-projection: every kernel on the problems of the iFDK paper and on default grids");
    command.repeated(
        "--only", options->only, "NAME",
        "Measure only this problem (such as 512-1k, 1k-default, 1k-poses) or this kernel");
    command.flag("--parallel", options->parallel,
                 "Kernels for parallel beams, on the problem of the paper they come from and on "
                 "cubes of 512 to 4096 voxels");
    command.option("--views", options->views, "N",
                   "Views to add in a round, up to 1024, above 32 in whole batches of 32; 0: what "
                   "half a second allows");
    command.option("--device", options->device, "N", "GPU to measure, by its number");
    command.flag("--quick", options->quick,
                 "Short rounds, and only the problems of up to 512 voxels along each axis where "
                 "none is named: rough figures, in some seconds");
    command.flag("--json", options->json, "Print one JSON document");
    command.examples(
        "  gantry bench kernels\n"
        "  gantry bench kernels --only tile --only mirror-texture --only 1k-1k --json\n"
        "  gantry bench kernels --parallel --only parallel-stack --only parallel-2k-512");
    command.action([options](Session& session) { return benchTheKernels(*options, session); });
}

}  // namespace gantry
