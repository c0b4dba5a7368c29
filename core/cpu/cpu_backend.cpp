#include "core/cpu/cpu_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/cpu/kernel_trial.h"
#include "core/geometry/footprint.h"
#include "core/geometry/views/parallel_views.h"
#include "core/project/cpu_projector.h"

namespace gantry {

namespace {

constexpr const char* kStack = "stack";

// The kernel that the job names, or the usual one. For a parallel beam `stack` replaces the usual
// one, because it makes the same sums several times as fast.
const CpuKernel& kernelOf(const std::vector<CpuKernel>& kernels, const DeviceJob& job) {
    const auto named = [&](const std::string& name) {
        return std::ranges::find_if(
            kernels, [&](const CpuKernel& kernel) { return kernel.kernel.name == name; });
    };
    const auto found = job.kernel.empty() ? std::prev(kernels.end()) : named(job.kernel);
    require(found != kernels.end(), "a job on the CPU asks for an unknown kernel");
    const bool isParallel = areParallel(job.acquisition->geometry.matrices);
    if (found->kernel.name == kStack && !isParallel)
        throw InputError(fmt::format("The kernel {} takes views of a parallel beam whose detector "
                                     "is upright, and those of this scan are not.",
                                     kStack),
                         {.advice = "Leave --kernel out.", .field = "cpuKernel"});
    const bool isUsual = std::next(found) == kernels.end();
    const auto stack = named(kStack);
    return isUsual && isParallel && stack != kernels.end() ? *stack : *found;
}

Index bytesNeeded(const std::vector<CpuKernel>& kernels, const DeviceJob& job) {
    return kernelOf(kernels, job)
        .make(job.threads)
        ->bytesNeeded(job.volume, job.maxSlices, job.batchViews, job.maxRows,
                      job.acquisition->geometry.detector.columns);
}

// A piece from the middle of the volume: as high as a slab, at most 256 voxels, and as wide as
// `updates` allows.
VolumeGrid trialPiece(const DeviceJob& job, Index views, double updates) {
    constexpr Index kMaxSlices = 256;
    VolumeGrid piece = job.volume;
    piece.voxels[2] = std::min(job.maxSlices, kMaxSlices);
    const auto columnUpdates = static_cast<double>(piece.voxels[2] * views);
    Index across = 16;
    while (columnUpdates * static_cast<double>(4 * across * across) <= updates && across < 512)
        across *= 2;
    piece.voxels[0] = std::min(across, job.volume.voxels[0]);
    piece.voxels[1] = std::min(across, job.volume.voxels[1]);
    return piece;
}

double secondsOfAdd(BackProjector& backProjector, const FilteredBatch& batch) {
    const std::int64_t begin = nowNs();
    backProjector.add(batch, {});
    return secondsSince(begin);
}

// The shortest of a few runs, which together outlast the time slice of another program on this
// processor: otherwise a short run that was interrupted each time would seem many times as slow.
double quickestAdd(BackProjector& backProjector, const FilteredBatch& batch) {
    constexpr double kTurnSeconds = 0.08;
    constexpr double kLongSeconds = 0.4;
    const std::int64_t begin = nowNs();
    double best = secondsOfAdd(backProjector, batch);
    if (best > kLongSeconds) return best;
    do
        best = std::min(best, secondsOfAdd(backProjector, batch));
    while (secondsSince(begin) < kTurnSeconds);
    return best;
}

PieceTrial tryPiece(const VolumeGrid& piece, BackProjector& backProjector,
                    const FilteredBatch& batch) {
    const auto [nX, nY, nZ] = piece.voxels;
    backProjector.begin(piece, {0, nZ});
    const double seconds = quickestAdd(backProjector, batch);
    return {static_cast<double>(nX * nY * batch.views.size(0)), static_cast<double>(nZ), seconds};
}

// Uses the first views of the scan; takes a second at most.
KernelChoice tryKernel(const Kernel& kernel, const DeviceJob& job, BackProjector& backProjector) {
    constexpr Index kMaxPixels = 16'000'000;
    constexpr double kAnySpeed = 1e9;  // never used: nothing will be added
    constexpr double kTrialUpdates = 3e8;
    constexpr double kSmallUpdates = 1e6;
    constexpr double kMiddleUpdates = 9e6;
    constexpr double kMaxSeconds = 0.8;
    constexpr Index kThinner = 4;
    const AlignedViews& geometry = job.acquisition->geometry;
    const Index columns = geometry.detector.columns;
    const IndexRange rows = footprintRows(geometry, trialPiece(job, job.batchViews, kTrialUpdates),
                                          {0, std::min<Index>(job.maxSlices, 256)});
    if (rows.empty()) return {kernel, kAnySpeed};
    const Index views = std::clamp<Index>(kMaxPixels / (rows.size() * columns), 1, job.batchViews);
    HostBuffer<float> pixels(views * rows.size() * columns);
    std::fill_n(pixels.data(), pixels.count(), 0.01F);
    const FilteredBatch batch = {{pixels.data(), views, rows.size(), columns},
                                 rows.begin,
                                 std::span(geometry.matrices).first(views)};
    const auto trial = [&](double updates) {
        return tryPiece(trialPiece(job, views, updates), backProjector, batch);
    };
    // A slow kernel shows on small pieces. One that is interrupted all the time shows nothing.
    const PieceTrial small = trial(kSmallUpdates);
    const PieceTrial middle = trial(kMiddleUpdates);
    KernelChoice found = {
        kernel, std::max(small.updates() / small.seconds, middle.updates() / middle.seconds)};
    if (predictedSeconds(small, middle, kTrialUpdates) > kMaxSeconds) return found;
    const PieceTrial large = trial(kTrialUpdates);
    found.updatesPerSecond = std::max(found.updatesPerSecond, large.updates() / large.seconds);
    VolumeGrid piece = trialPiece(job, views, kTrialUpdates);
    piece.voxels[2] = std::max<Index>(1, piece.voxels[2] / kThinner);
    const double wider = static_cast<double>(job.volume.voxels[0] * job.volume.voxels[1]) /
                         static_cast<double>(piece.voxels[0] * piece.voxels[1]);
    takeSlabSpeed(middle, large, tryPiece(piece, backProjector, batch), wider, found);
    return found;
}

}  // namespace

std::vector<CpuKernel> cpuKernels() {
    return {
        {{"reference", false, 1, false, true},
         [](int threads) { return makeReferenceBackProjector(threads); }},
        {{"general", false, 1, false, true},
         [](int threads) { return makeCpuGeneralBackProjector(threads); }},
        {{kStack, false, 1, false, false, true},
         [](int threads) { return makeCpuStackBackProjector(threads); }},
        {{"columns"}, [](int threads) { return makeCpuColumnsBackProjector(threads); }},
    };
}

std::string cpuName() {
    switch (supportedSimdLevels().back()) {
        case SimdLevel::avx512:
            return "CPU (AVX-512)";
        case SimdLevel::avx2:
            return "CPU (AVX2)";
        case SimdLevel::portable:
            break;
    }
    return "CPU";
}

EngineBackend makeCpuBackend(std::vector<CpuKernel> list) {
    const auto kernels = std::make_shared<const std::vector<CpuKernel>>(std::move(list));
    EngineBackend backend;
    backend.info.devices = {{0, cpuName(), 0, 0}};
    for (const CpuKernel& kernel : *kernels)
        backend.info.kernels.push_back(kernel.kernel);
    backend.info.bytesNeeded = [kernels](const DeviceJob& job) {
        return bytesNeeded(*kernels, job);
    };
    backend.whyNoFilter = [](int) { return std::string("the host filters for it"); };
    backend.chooseKernel = [kernels](int, const DeviceJob& job, bool) {
        const CpuKernel& kernel = kernelOf(*kernels, job);
        return tryKernel(kernel.kernel, job, *kernel.make(job.threads));
    };
    backend.makeEngine = [kernels](int, const DeviceJob& job, SpanSink sink,
                                   std::int64_t originNs) {
        const auto make = kernelOf(*kernels, job).make;
        return makeCpuEngine(
            job, [make, threads = job.threads] { return make(threads); }, std::move(sink),
            originNs);
    };
    backend.makeProjector = [](int, ProjectedViews views, int threads) {
        return makeCpuProjector(std::move(views), threads);
    };
    backend.makePreview = [](int) { return makeCpuPlanePreview(availableThreads()); };
    return backend;
}

}  // namespace gantry
