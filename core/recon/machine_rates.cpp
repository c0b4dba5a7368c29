#include "core/recon/machine_rates.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/filter/cpu_filter.h"
#include "core/geometry/footprint.h"
#include "core/io/open_sink.h"
#include "core/pipeline/batch.h"
#include "core/recon/view_stages.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

double secondsOf(const std::function<void()>& work) {
    const std::int64_t begin = nowNs();
    work();
    return std::max(1e-9, 1e-9 * static_cast<double>(nowNs() - begin));
}

// The better of two runs: the first one warms caches, tables and threads up.
double bestOfTwo(const std::function<void()>& work) {
    const double first = secondsOf(work);
    constexpr double kLongEnough = 0.4;
    return first > kLongEnough ? first : std::min(first, secondsOf(work));
}

// A piece from the middle of the volume: as high as the real slab up to 256 voxels, and as wide as
// makes a measurement of a fraction of a second.
VolumeGrid pieceOf(const JobSpec& spec, const JobPlan& plan, Index views) {
    const VolumeGrid& grid = spec.volume;
    const double updates = spec.cpuKernel == CpuKernel::reference ? 1e7 : 3e8;
    constexpr Index kMostSlices = 256;
    VolumeGrid piece = grid;
    const Index slices = plan.slabs[plan.slabs.size() / 2].slices.size();
    piece.voxels[2] = std::min(slices, kMostSlices);
    const auto columnUpdates = static_cast<double>(piece.voxels[2] * views);
    Index across = 16;
    while (columnUpdates * static_cast<double>(4 * across * across) <= updates && across < 512)
        across *= 2;
    piece.voxels[0] = std::min(across, grid.voxels[0]);
    piece.voxels[1] = std::min(across, grid.voxels[1]);
    return piece;
}

double measureUpdates(const OpenScan& scan, const JobSpec& spec, const JobPlan& plan,
                      const Backends& backends, const Batch& batch, const std::stop_token& stop) {
    const Index columns = scan.geometry.detector.columns;
    const VolumeGrid piece = pieceOf(spec, plan, batch.views.size());
    const auto backProjector = makeBackProjector(spec, backends);
    const std::vector<ProjectionMatrix> matrices = projectionMatrices(scan.geometry);
    const auto views = static_cast<std::size_t>(batch.views.size());
    const FilteredBatch filtered = {
        {batch.values.data(), batch.views.size(), batch.rows.size(), columns},
        batch.rows.begin,
        std::span(matrices).first(views)};
    backProjector->begin(piece, {0, piece.voxels[2]});
    const double seconds = bestOfTwo([&] { backProjector->add(filtered, stop); });
    return static_cast<double>(piece.count()) * static_cast<double>(views) / seconds;
}

double measureStore(const fs::path& output) {
    constexpr Index kBytes = 32'000'000;
    fs::path folder =
        output.has_filename() ? output.parent_path() : output.parent_path().parent_path();
    if (folder.empty()) folder = ".";
    const fs::path path = folder / fmt::format(".gantry-rate-{}.part", ::getpid());
    struct Removal {
        const fs::path& path;
        ~Removal() {
            std::error_code ignored;
            fs::remove(path, ignored);
        }
    };
    HostBuffer<std::byte> zeros(kBytes);
    std::fill_n(zeros.data(), kBytes, std::byte{});
    File file(path, File::Mode::create);
    const Removal removal{path};
    const double seconds = secondsOf([&] {
        file.writeAt(0, zeros.span());
        file.sync();
    });
    return static_cast<double>(kBytes) / seconds;
}

}  // namespace

MachineRates measureRates(const OpenScan& scan, const JobSpec& spec, const JobPlan& plan,
                          const Backends& backends, const std::stop_token& stop) {
    constexpr Index kMostPixels = 16'000'000;
    const auto stopHere = [&] {
        if (stop.stop_requested()) throw Cancelled();
    };
    ViewStages stages(scan, plan.threads, 1);
    const SourceInfo& info = scan.source->info();
    Batch batch;
    batch.rows = plan.slabs[plan.slabs.size() / 2].rows;
    if (batch.rows.empty()) batch.rows = {0, info.rows};
    batch.storedRows = stages.storedRows(batch.rows);
    const Index columns = scan.geometry.detector.columns;
    const Index viewPixels = batch.rows.size() * columns;
    batch.views = {0, std::clamp<Index>(kMostPixels / viewPixels, 1, plan.batchViews)};
    const Index views = batch.views.size();
    const Index storedBytes =
        views * batch.storedRows.size() * info.columns * sizeBytes(info.pixelType);
    batch.stored = HostBuffer<std::byte>(storedBytes);
    batch.values = HostBuffer<float>(views * viewPixels);
    const auto pixels = static_cast<double>(views * viewPixels);

    MachineRates rates;
    rates.loadBytes =
        static_cast<double>(storedBytes) / secondsOf([&] { stages.load(batch, stop); });
    stopHere();
    rates.preparePixels = pixels / bestOfTwo([&] { stages.prepare(batch, stop); });
    stopHere();
    const auto filter = makeCpuFilter(scan.geometry, spec.filter, scan.redundancy, plan.threads);
    rates.filterPixels = pixels / bestOfTwo([&] {
                             filter->apply(batch.valueSpan(columns), 0, batch.rows.begin, stop);
                         });
    stopHere();
    rates.updates = measureUpdates(scan, spec, plan, backends, batch, stop);
    stopHere();
    rates.storeBytes = measureStore(spec.output.path);
    return rates;
}

Forecast forecastJob(const OpenScan& scan, const JobSpec& spec, const JobPlan& plan,
                     const MachineRates& rates) {
    const Workload work =
        workload(scan.geometry, spec.volume, plan.slabs, sizeBytes(scan.source->info().pixelType),
                 outputBytes(spec.output, spec.volume));
    const auto passes = static_cast<Index>(plan.slabs.size());
    return forecast(work, rates, passes * plan.batchesPerSlab);
}

}  // namespace gantry
