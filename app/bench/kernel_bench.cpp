#include "app/bench/kernel_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "app/bench/bench_sample.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/geometry/views/projection_matrix.h"
#include "core/simulate/jitter.h"

namespace gantry {

namespace {

constexpr Index kCpuBatchViews = 32;
constexpr int kCpuRounds = 3;
constexpr std::size_t kContendersPerLevel = 4;

// Random views of a full circle, and the volume that they all see.
struct CpuBench {
    ScanGeometry geometry;
    VolumeGrid grid;
    std::vector<ProjectionMatrix> matrices;
    RandomViews views;  // [s][v][u], one batch
};

// The same views off their circle.
struct Jitter {
    double mm;
    double deg;
};
constexpr Jitter kNear = {1, 0.5};
constexpr Jitter kAny = {10, 20};

CpuBench moved(const CpuBench& bench, const Jitter& jitter, const BenchProblem& problem) {
    CpuBench result;
    result.geometry = jittered(bench.geometry, jitter.mm, jitter.deg, 1);
    result.grid = bench.grid;
    result.matrices = projectionMatrices(result.geometry);
    result.views = randomViews(kCpuBatchViews * problem.nU * problem.nU);
    return result;
}

CpuBench makeBench(const BenchProblem& problem) {
    CpuBench bench;
    bench.geometry = problem.geometry();
    bench.grid = problem.grid();
    bench.matrices = projectionMatrices(bench.geometry);
    bench.views = randomViews(kCpuBatchViews * problem.nU * problem.nU);
    return bench;
}

// Matrices of `views` views, spread over the whole circle.
std::vector<ProjectionMatrix> spreadMatrices(const CpuBench& bench, Index views) {
    std::vector<ProjectionMatrix> matrices;
    for (Index s = 0; s < views; ++s)
        matrices.push_back(bench.matrices[s * bench.geometry.views() / views]);
    return matrices;
}

// Adds that many views, whose pixels repeat every batch.
void addViews(BackProjector& backProjector, const CpuBench& bench, const HostBuffer<float>& pixels,
              Index views, const std::stop_token& stop) {
    const Index nU = bench.geometry.detector.columns;
    const std::vector<ProjectionMatrix> matrices = spreadMatrices(bench, views);
    for (Index s = 0; s < views; s += kCpuBatchViews) {
        const Index count = std::min(kCpuBatchViews, views - s);
        const auto part = std::span<const ProjectionMatrix>(matrices).subspan(s, count);
        backProjector.add({{pixels.data(), count, nU, nU}, 0, part}, stop);
    }
}

using Make = std::function<std::unique_ptr<BackProjector>()>;

// Updates a second over `views` views, in 2³⁰.
double rate(const Make& make, const CpuBench& bench, Index views, const std::stop_token& stop) {
    const auto backProjector = make();
    backProjector->begin(bench.grid, {0, bench.grid.voxels[2]});
    const std::int64_t begin = nowNs();
    addViews(*backProjector, bench, bench.views.uniform, views, stop);
    const double seconds = 1e-9 * static_cast<double>(std::max<std::int64_t>(1, nowNs() - begin));
    return static_cast<double>(bench.grid.count()) * static_cast<double>(views) / seconds / kGiga;
}

// One of several kernels measured alternately: how, on which and how many views, and the results.
struct Contender {
    Make make;
    const CpuBench* bench = nullptr;
    Index views = 0;
    std::array<double, kCpuRounds> gups{};

    [[nodiscard]] double median() const {
        std::array<double, kCpuRounds> sorted = gups;
        std::ranges::sort(sorted);
        return sorted[kCpuRounds / 2];
    }
};

// Enough views for the time that a measurement may take, but whole batches where there is more than
// one.
Index viewsFor(const Make& make, const CpuBench& bench, bool isPlain, const BenchContext& context) {
    const Index few = std::min<Index>(isPlain ? 1 : kCpuBatchViews, bench.geometry.views());
    const double gups = rate(make, bench, few, context.stop);
    const double perView = static_cast<double>(bench.grid.count()) / kGiga / gups;
    auto views = static_cast<Index>(context.secondsEach / perView);
    if (!isPlain) views = std::max(kCpuBatchViews, views / kCpuBatchViews * kCpuBatchViews);
    return std::clamp<Index>(views, 1, bench.geometry.views());
}

// Relative RMSE of one kernel against the reference.
double errorOf(const CpuBench& bench, const HostBuffer<float>& pixels, const Make& make,
               const std::stop_token& stop) {
    const Index views = std::min(kCpuBatchViews, bench.geometry.views());
    const Index nU = bench.geometry.detector.columns;
    const auto [nX, nY, nZ] = bench.grid.voxels;
    const BenchSample sample(bench.grid);
    const HostBuffer<float> truth =
        sample.reference({pixels.data(), views, nU, nU}, spreadMatrices(bench, views), stop);
    const auto columns = make();
    columns->begin(bench.grid, {0, nZ});
    addViews(*columns, bench, pixels, views, stop);
    HostBuffer<float> slice(nX * nY);
    HostBuffer<float> found(sample.count());
    for (std::size_t i = 0; i < sample.slices().size(); ++i) {
        const Index z = sample.slices()[i];
        columns->read({z, z + 1}, {slice.data(), 1, nY, nX});
        sample.pick(i, slice, found);
    }
    return relativeRmse(found.span(), truth.span());
}

}  // namespace

RandomViews randomViews(Index pixels) {
    RandomViews views = {HostBuffer<float>(pixels), HostBuffer<float>(pixels)};
    std::mt19937 random(1);
    for (Index i = 0; i < pixels; ++i) {
        views.uniform[i] = static_cast<float>(random() >> 8) * 0x1p-24F;
        views.noise[i] = static_cast<float>(random() >> 8) * 0x1p-24F - 0.5F;
    }
    return views;
}

double relativeRmse(std::span<const float> found, std::span<const float> truth) {
    double difference = 0;
    double size = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        const auto wanted = static_cast<double>(truth[i]);
        difference += std::pow(static_cast<double>(found[i]) - wanted, 2);
        size += wanted * wanted;
    }
    return std::sqrt(difference / size);
}

ScanGeometry BenchProblem::geometry() const {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 600;
    geometry.cone().sourceToDetectorMm = 1200;
    geometry.cone().views = nP;
    geometry.detector.columns = geometry.detector.rows = nU;
    const double pitch = 410.0 / static_cast<double>(nU);
    geometry.detector.pitchMm = {pitch, pitch};
    return geometry;
}

VolumeGrid BenchProblem::grid() const {
    VolumeGrid grid = fitGrid(geometry(), nX);
    grid.voxels = {nX, nX, nX};
    return grid;
}

std::string BenchProblem::title() const {
    return fmt::format("{}² × {} → {}³", nU, nP, nX);
}

std::vector<KernelFigures> benchKernels(const BenchProblem& problem, const BenchContext& context) {
    const CpuBench bench = makeBench(problem);
    const CpuBench near = moved(bench, kNear, problem);
    const CpuBench any = moved(bench, kAny, problem);
    const std::vector<SimdLevel> levels = supportedSimdLevels();
    std::vector<Contender> contenders;
    for (const SimdLevel level : levels) {
        const Make general = [level] { return makeCpuGeneralBackProjector(1, level); };
        contenders.push_back({[level] { return makePlainScalarBackProjector(1, level); }, &bench});
        contenders.push_back({[level] { return makeCpuColumnsBackProjector(1, level); }, &bench});
        contenders.push_back({general, &near});
        contenders.push_back({general, &any});
    }
    const double steps = static_cast<double>(contenders.size()) * (kCpuRounds + 1) +
                         3 * static_cast<double>(levels.size());
    double done = 0;
    const auto step = [&] {
        if (context.stop.stop_requested()) throw Cancelled();
        if (context.onProgress) context.onProgress(++done / steps);
    };
    for (std::size_t i = 0; i < contenders.size(); ++i) {
        contenders[i].views = viewsFor(contenders[i].make, *contenders[i].bench,
                                       i % kContendersPerLevel == 0, context);
        step();
    }
    for (std::size_t round = 0; round < kCpuRounds; ++round)
        for (Contender& contender : contenders) {
            contender.gups[round] =
                rate(contender.make, *contender.bench, contender.views, context.stop);
            step();
        }
    std::vector<KernelFigures> figures;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const SimdLevel level = levels[i];
        const Contender* const measured = &contenders[kContendersPerLevel * i];
        KernelFigures one{problem, level};
        one.plainGups = measured[0].median();
        one.columnsGups = measured[1].median();
        one.nearGups = measured[2].median();
        one.anyGups = measured[3].median();
        const int threads = availableThreads();
        const Make columns = [=] { return makeCpuColumnsBackProjector(threads, level); };
        const Make general = [=] { return makeCpuGeneralBackProjector(threads, level); };
        one.uniformError = errorOf(bench, bench.views.uniform, columns, context.stop);
        step();
        one.noiseError = errorOf(bench, bench.views.noise, columns, context.stop);
        step();
        one.generalError = errorOf(near, near.views.noise, general, context.stop);
        step();
        figures.push_back(one);
    }
    return figures;
}

CoreFigures benchCores(const BenchProblem& problem, int threads, const BenchContext& context) {
    const CpuBench bench = makeBench(problem);
    Contender one{[] { return makeCpuColumnsBackProjector(1); }, &bench};
    Contender all{[threads] { return makeCpuColumnsBackProjector(threads); }, &bench};
    double done = 0;
    for (Contender* contender : {&one, &all})
        contender->views = viewsFor(contender->make, bench, false, context);
    for (std::size_t round = 0; round < kCpuRounds; ++round)
        for (Contender* contender : {&one, &all}) {
            if (context.stop.stop_requested()) throw Cancelled();
            contender->gups[round] = rate(contender->make, bench, contender->views, context.stop);
            if (context.onProgress) context.onProgress(++done / (2 * kCpuRounds));
        }
    return {problem, threads, one.median(), all.median()};
}

}  // namespace gantry
