#include "core/machine/machine_rates.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/filter/cpu_filter.h"
#include "core/geometry/footprint.h"
#include "core/io/volume/open_sink.h"
#include "core/pipeline/batch.h"
#include "core/scan/view_stages.h"

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
    const std::vector<ProjectionMatrix>& matrices = scan.geometry.matrices;
    const auto views = static_cast<std::size_t>(batch.views.size());
    const FilteredBatch filtered = {
        {batch.values.data(), batch.views.size(), batch.rows.size(), columns},
        batch.rows.begin,
        std::span(matrices).first(views)};
    backProjector->begin(piece, {0, piece.voxels[2]});
    const double seconds = bestOfTwo([&] { backProjector->add(filtered, stop); });
    return static_cast<double>(piece.count()) * static_cast<double>(views) / seconds;
}

double measureStore(const fs::path& output, int threads) {
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
        file.writeAt(0, zeros.span(), threads);
        file.sync();
    });
    return static_cast<double>(kBytes) / seconds;
}

// The first views of the scan, as many as make a measurement of a fraction of a second, with the
// rows of a slab in the middle.
Batch someViews(const OpenScan& scan, const JobPlan& plan) {
    constexpr Index kMostPixels = 16'000'000;
    const SourceInfo& info = scan.source->info();
    Batch batch;
    batch.rows = plan.slabs[plan.slabs.size() / 2].rows;
    if (batch.rows.empty()) batch.rows = {0, info.rows};
    batch.storedRows = scan.storedRows(batch.rows);
    const Index viewPixels = batch.rows.size() * scan.geometry.detector.columns;
    batch.views = {0, std::clamp<Index>(kMostPixels / viewPixels, 1, plan.batchViews)};
    batch.stored = HostBuffer<std::byte>(batch.views.size() * batch.storedRows.size() *
                                         info.columns * sizeBytes(info.pixelType));
    batch.values = HostBuffer<float>(batch.views.size() * viewPixels);
    return batch;
}

void stopHere(const std::stop_token& stop) {
    if (stop.stop_requested()) throw Cancelled();
}

// What the CPU does before views are back-projected; leaves the batch filtered.
void measureHost(const OpenScan& scan, const JobSpec& spec, const JobPlan& plan, Batch& batch,
                 MachineRates& rates, const std::stop_token& stop) {
    const Span3<float> views = batch.valueSpan(scan.geometry.detector.columns);
    const auto pixels = static_cast<double>(views.count());
    rates.loadBytes = static_cast<double>(batch.stored.count()) /
                      secondsOf([&] { loadViews(scan, batch, plan.threads, stop); });
    stopHere(stop);
    const bool onlyDevicesFilter = !plan.devices.empty() && spec.filterOn == FilterOn::gpu;
    if (onlyDevicesFilter && plan.handedOver == ViewState::stored) return;
    ViewPreparer preparer(scan, plan.threads);
    rates.preparePixels = pixels / bestOfTwo([&] { (void)preparer.prepare(batch, stop); });
    stopHere(stop);
    if (onlyDevicesFilter) return;
    const auto filter = makeCpuFilter(scan.geometry, spec.filter, scan.redundancy, plan.threads);
    rates.filterPixels =
        pixels / bestOfTwo([&] { filter->apply(views, 0, batch.rows.begin, stop); });
    stopHere(stop);
}

void measureDevices(const OpenScan& scan, const JobSpec& spec, const JobPlan& plan,
                    const Backends& backends, MachineRates& rates, const std::stop_token& stop) {
    for (std::size_t i = 0; i < plan.devices.size(); ++i) {
        rates.devices.push_back(
            backends.gpu.measure(plan.devices[i].device, deviceJobOf(scan, spec, plan, i)));
        rates.devices.back().device = plan.devices[i].device;
        stopHere(stop);
    }
}

DeviceWorkload deviceWorkload(const OpenScan& scan, const JobSpec& spec, const JobPlan& plan) {
    return {scan.geometry,
            spec.volume,
            std::span(plan.slabs).subspan(static_cast<std::size_t>(plan.firstSlab)),
            plan.devices.size(),
            sizeBytes(scan.source->info().pixelType),
            outputBytes(spec.output, spec.volume),
            plan.batchesPerSlab};
}

}  // namespace

MachineRates measureRates(const OpenScan& scan, const JobSpec& spec, const JobPlan& plan,
                          const Backends& backends, const std::stop_token& stop) {
    MachineRates rates;
    Batch batch = someViews(scan, plan);
    measureHost(scan, spec, plan, batch, rates, stop);
    if (plan.devices.empty())
        rates.updates = measureUpdates(scan, spec, plan, backends, batch, stop);
    else
        measureDevices(scan, spec, plan, backends, rates, stop);
    stopHere(stop);
    rates.storeBytes = measureStore(spec.output.path, plan.threads);
    return rates;
}

Forecast forecastJob(const OpenScan& scan, const JobSpec& spec, const JobPlan& plan,
                     const MachineRates& rates) {
    if (!plan.devices.empty())
        return forecast(deviceWorkload(scan, spec, plan), plan.handedOver, rates);
    const Workload work =
        workload(scan.geometry, spec.volume, plan.slabs, sizeBytes(scan.source->info().pixelType),
                 outputBytes(spec.output, spec.volume));
    const auto passes = static_cast<Index>(plan.slabs.size());
    return forecast(work, rates, passes * plan.batchesPerSlab);
}

std::optional<Forecast> forecastOfTrials(const OpenScan& scan, const JobSpec& spec,
                                         const JobPlan& plan) {
    if (plan.devices.empty()) return std::nullopt;
    MachineRates rates;
    for (const DevicePlan& device : plan.devices)
        rates.devices.push_back({0, 0, 0, device.kernel.updatesPerSecond});
    Forecast result = forecastJob(scan, spec, plan, rates);
    // The time of the whole depends on stages that were not tried.
    result.wall = 0;
    result.boundingStage = {};
    return result;
}

namespace {

// Whether measuring a filter on the CPU may pay: a short run gains less than the measurement costs.
bool isFilterPlaceOpen(const OpenScan& scan, const JobSpec& spec, const JobPlan& plan) {
    constexpr double kLongSeconds = 20;
    if (spec.filterOn != FilterOn::automatic || plan.handedOver == ViewState::filtered)
        return false;
    const auto trial = forecastOfTrials(scan, spec, plan);
    return trial && trial->backproject > kLongSeconds;
}

}  // namespace

JobPlan withFilterPlace(JobPlan plan, const OpenScan& scan, const JobSpec& spec,
                        const Backends& backends, const MachineRates& rates,
                        const std::optional<FinishedSlabs>& finished) {
    if (!isFilterPlaceOpen(scan, spec, plan) ||
        chooseFilterPlace(deviceWorkload(scan, spec, plan), plan.handedOver, rates) ==
            plan.handedOver)
        return plan;
    JobSpec other = spec;
    other.filterOn = FilterOn::cpu;
    return planJob(scan, other, backends, finished);
}

JobPlan planRun(const OpenScan& scan, const JobSpec& spec, const Backends& backends,
                const std::optional<FinishedSlabs>& finished, const std::stop_token& stop) {
    JobPlan plan = planJob(scan, spec, backends, finished);
    if (!isFilterPlaceOpen(scan, spec, plan)) return plan;
    MachineRates rates;
    Batch batch = someViews(scan, plan);
    measureHost(scan, spec, plan, batch, rates, stop);
    measureDevices(scan, spec, plan, backends, rates, stop);
    return withFilterPlace(std::move(plan), scan, spec, backends, rates, finished);
}

}  // namespace gantry
