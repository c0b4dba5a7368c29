#include "core/plan/performance_model.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/geometry/views/mirror.h"
#include "core/plan/job_plan.h"
#include "core/plan/seconds.h"

namespace gantry {

namespace {

// Pixels that are read and filtered for a pass: where views are gathered, each rank of the column
// reads its part of them.
double pixelsRead(const AlignedViews& geometry, const JobPlan& plan, const PassPlan& pass) {
    const double views = static_cast<double>(plan.views.size()) /
                         static_cast<double>(std::max<std::size_t>(1, pass.column.size()));
    return views * static_cast<double>(geometry.detector.columns) *
           static_cast<double>(pass.loadedRows().size());
}

// Bytes of filtered views that a rank holds in a pass after the gather.
double bytesGathered(const AlignedViews& geometry, const JobPlan& plan, const PassPlan& pass) {
    if (!pass.isGathered()) return 0;
    return sizeof(float) * static_cast<double>(plan.views.size()) *
           static_cast<double>(geometry.detector.columns) * static_cast<double>(pass.rows.size());
}

// Pixels that are loaded and corrected for a pass: of held views, all are.
double pixelsLoaded(const AlignedViews& geometry, const JobPlan& plan, const PassPlan& pass,
                    Index heldViews) {
    if (heldViews == 0) return pixelsRead(geometry, plan, pass);
    return static_cast<double>(heldViews * geometry.detector.columns * pass.loadedRows().size());
}

double bytesSummed(const VolumeGrid& grid, const JobPlan& plan, double slices) {
    if (plan.columnCount() == 1) return 0;
    return sizeof(float) * slices * static_cast<double>(grid.voxels[0]) *
           static_cast<double>(grid.voxels[1]);
}

}  // namespace

Workload workload(const AlignedViews& geometry, const VolumeGrid& grid, const JobPlan& plan,
                  Index storedBytesPerPixel, Index outputBytes, Index heldViews) {
    const auto views = static_cast<double>(plan.views.size());
    Workload work;
    Index slices = 0;
    for (const PassPlan& pass : plan.passes) {
        work.filterPixels += pixelsRead(geometry, plan, pass);
        work.correctPixels += pixelsLoaded(geometry, plan, pass, heldViews);
        work.gatherBytes += bytesGathered(geometry, plan, pass);
        for (const Assignment& part : pass.assignments)
            slices += plan.slabs[part.slab].slices.size();
    }
    const double share = static_cast<double>(slices) / static_cast<double>(grid.voxels[2]);
    work.preparePixels = work.filterPixels;
    work.isHeld = heldViews > 0;
    work.loadBytes = work.correctPixels * static_cast<double>(storedBytesPerPixel);
    work.updates = share * views * static_cast<double>(grid.count());
    // Each rank stores its part of the slabs that ranks sum.
    work.storeBytes =
        share * static_cast<double>(outputBytes) / static_cast<double>(plan.columnCount());
    work.reduceBytes = bytesSummed(grid, plan, static_cast<double>(slices));
    return work;
}

Forecast forecast(const Workload& work, const MachineRates& rates, Index passesAndBatches) {
    Forecast result;
    result.load = seconds(work.loadBytes, rates.loadBytes);
    result.correct = seconds(work.correctPixels, rates.correctPixels);
    result.prepare = seconds(work.preparePixels, rates.preparePixels);
    result.filter = seconds(work.filterPixels, rates.filterPixels);
    result.backproject = seconds(work.updates, rates.updates);
    result.store = seconds(work.storeBytes, rates.storeBytes);
    result.gather = seconds(work.gatherBytes, rates.exchange.gatherBytes);
    result.reduce = seconds(work.reduceBytes, rates.exchange.reduceBytes);

    const std::array<std::pair<double, std::string_view>, 8> stages = {
        {{result.load, "load"},
         {result.correct, "correct"},
         {result.prepare, "prepare"},
         {result.filter, "filter"},
         {result.gather, "gather"},
         {result.backproject, "back-project"},
         {result.reduce, "reduce"},
         {result.store, "store"}}};
    result.boundingStage = std::ranges::max_element(stages)->second;
    const double views = result.load + result.correct;
    const double compute = result.prepare + result.filter + result.backproject;
    const double before =
        work.isHeld ? 0 : views / static_cast<double>(std::max<Index>(1, passesAndBatches));
    const double overlapped = std::max(
        {work.isHeld ? views + compute : std::max(views, result.correct + compute), result.store});
    // With one slab, the store has nothing to overlap with.
    result.wall = overlapped + before + (overlapped == result.store ? 0 : result.store) +
                  result.gather + result.reduce;
    return result;
}

namespace {

// Seconds of one pass, whose slabs, one a device, are made from one reading of the views.
struct PassTime {
    double load = 0;
    double correct = 0;     // on the CPU
    double prepare = 0;     // on the CPU
    double hostFilter = 0;  // on the CPU
    double handBack = 0;    // a device takes views, filters and returns them, to be gathered
    double gather = 0;
    double upload = 0;
    double deviceFilter = 0;
    double backproject = 0;
    double device = 0;  // the slowest device's filter and back-projection, which share it
    double download = 0;
    double reduce = 0;
    double store = 0;
    double uploadToFilter = 0;  // parts of handBack
    double downloadFiltered = 0;
    bool isHeld = false;

    // Time before the first view is filtered.
    [[nodiscard]] double held() const { return isHeld ? load + correct : 0; }
    // Time of the thread that loads while others filter.
    [[nodiscard]] double loading() const { return isHeld ? 0 : load + correct; }
    [[nodiscard]] double filtering() const { return prepare + hostFilter + handBack; }
    // Time of the cores while devices back-project.
    [[nodiscard]] double host() const { return filtering() + (isHeld ? 0 : correct); }
};

class PassClock {
  public:
    PassClock(const DeviceWorkload& work, ViewState handedOver, const MachineRates& rates)
        : m_work(work),
          m_handedOver(handedOver),
          m_hostTakes(work.plan.filteredFrom.value_or(handedOver)),
          m_rates(rates),
          m_mirror(mirroredSlices(work.geometry, work.grid)),
          m_views(static_cast<double>(work.plan.views.size())),
          m_rowPixels(m_views * static_cast<double>(work.geometry.detector.columns)),
          m_slicePixels(static_cast<double>(work.grid.voxels[0]) *
                        static_cast<double>(work.grid.voxels[1])) {}

    [[nodiscard]] PassTime measure(const PassPlan& pass, bool isFirst) const {
        PassTime time;
        time.isHeld = m_work.heldViews > 0;
        const double pixels = pixelsRead(m_work.geometry, m_work.plan, pass);
        const double loaded = pixelsLoadedFor(pass, isFirst);
        // T_load (8)
        time.load =
            seconds(loaded * static_cast<double>(m_work.storedBytesPerPixel), m_rates.loadBytes);
        time.correct = seconds(loaded, m_rates.correctPixels);
        // T_flt (9) on the CPU
        if (m_hostTakes != ViewState::stored) time.prepare = seconds(pixels, m_rates.preparePixels);
        if (m_hostTakes == ViewState::filtered)
            time.hostFilter = seconds(pixels, m_rates.filterPixels);
        time.gather = seconds(bytesGathered(m_work.geometry, m_work.plan, pass),
                              m_rates.exchange.gatherBytes);
        Index slices = 0;
        for (const Assignment& part : pass.assignments) {
            const auto device = static_cast<std::size_t>(part.device);
            const SlabPlan& slab = m_work.plan.slabs[part.slab];
            DeviceRates rates =
                device < m_rates.devices.size() ? m_rates.devices[device] : DeviceRates{};
            rates.updates *= partOfSpeed(m_work.plan.devices[device].kernel.kernel, slab.slices,
                                         m_work.grid, m_mirror);
            addDevice(slab, rates, time);
            slices += slab.slices.size();
        }
        if (m_hostTakes != m_handedOver && !m_rates.devices.empty())
            addViewFilter(pixels, m_rates.devices.front(), time);
        time.reduce = seconds(bytesSummed(m_work.grid, m_work.plan, static_cast<double>(slices)),
                              m_rates.exchange.reduceBytes);
        // T_store (16); each rank stores its part of the slabs that ranks sum.
        const double share = static_cast<double>(slices) /
                             static_cast<double>(m_work.grid.voxels[2] * m_work.plan.columnCount());
        time.store = seconds(share * static_cast<double>(m_work.outputBytes), m_rates.storeBytes);
        return time;
    }

  private:
    [[nodiscard]] double pixelsLoadedFor(const PassPlan& pass, bool isFirst) const {
        const IndexRange atOnce = m_work.rowsHeldAtOnce;
        if (atOnce.empty())
            return pixelsLoaded(m_work.geometry, m_work.plan, pass, m_work.heldViews);
        if (!isFirst) return 0;
        return static_cast<double>(m_work.heldViews * m_work.geometry.detector.columns *
                                   atOnce.size());
    }

    [[nodiscard]] double pixelBytes(ViewState state) const {
        return state == ViewState::stored ? static_cast<double>(m_work.storedBytesPerPixel)
                                          : sizeof(float);
    }

    // Adds the time of the device that filters views before the gather and also back-projects.
    void addViewFilter(double pixels, const DeviceRates& rates, PassTime& time) const {
        const double filter = seconds(pixels, rates.filterPixels);
        time.uploadToFilter = seconds(pixels * pixelBytes(m_hostTakes), rates.uploadBytes);
        time.downloadFiltered = seconds(pixels * sizeof(float), rates.downloadBytes);
        time.handBack = time.uploadToFilter + filter + time.downloadFiltered;
        time.deviceFilter += filter;
        time.device += filter;
    }

    void addDevice(const SlabPlan& slab, const DeviceRates& rates, PassTime& time) const {
        const double pixels = m_rowPixels * static_cast<double>(slab.rows.size());
        const double voxels = m_slicePixels * static_cast<double>(slab.slices.size());
        // T_H2D (11)
        time.upload =
            std::max(time.upload, seconds(pixels * pixelBytes(m_handedOver), rates.uploadBytes));
        // T_flt (9) on the device
        const double filter =
            m_handedOver == ViewState::filtered ? 0 : seconds(pixels, rates.filterPixels);
        // T_bp (12) without T_H2D: one batch is copied while the batch before is added.
        const double backproject = seconds(voxels * m_views, rates.updates);
        time.deviceFilter = std::max(time.deviceFilter, filter);
        time.backproject = std::max(time.backproject, backproject);
        time.device = std::max(time.device, filter + backproject);
        // T_D2H (14), which as measured includes T_trans (13)
        time.download =
            std::max(time.download, seconds(voxels * sizeof(float), rates.downloadBytes));
    }

    const DeviceWorkload& m_work;
    ViewState m_handedOver;
    ViewState m_hostTakes;
    const MachineRates& m_rates;
    std::optional<Index> m_mirror;
    double m_views;
    double m_rowPixels;    // of one detector row, in all views
    double m_slicePixels;  // voxels of a slice
};

// Sums threads, links and devices over all passes: the one that takes longest bounds the run.
std::string_view boundingStage(const Forecast& total, double device, bool isHeld) {
    const bool hostFilters = !total.devicesFilter;
    const double hostFilter = hostFilters ? total.filter : 0;
    const double correct = isHeld ? 0 : total.correct;
    const std::array<std::pair<double, std::string_view>, 8> resources = {
        {{device, !hostFilters && total.filter > total.backproject ? "filter" : "back-project"},
         {total.load + total.correct, total.correct > total.load ? "correct" : "load"},
         {total.gather, "gather"},
         {correct + total.prepare + hostFilter, correct > std::max(total.prepare, hostFilter)
                                                    ? "correct"
                                                : hostFilter > total.prepare ? "filter"
                                                                             : "prepare"},
         {total.upload, "upload"},
         {total.download, "download"},
         {total.reduce, "reduce"},
         {total.store, "store"}}};
    return std::ranges::max_element(resources,
                                    [](const auto& a, const auto& b) { return a.first < b.first; })
        ->second;
}

}  // namespace

Forecast forecast(const DeviceWorkload& work, ViewState handedOver, const MachineRates& rates) {
    const PassClock clock(work, handedOver, rates);
    Forecast total;
    total.devices = static_cast<int>(work.plan.devices.size());
    total.devicesFilter = work.plan.filteredFrom || handedOver != ViewState::filtered;
    double device = 0;
    double made = 0;    // when the current pass has been made
    double stored = 0;  // when it has been stored
    // when the pass before the last was stored: a device has two slabs
    double storedBeforeLast = 0;
    bool isFirst = true;
    for (const PassPlan& pass : work.plan.passes) {
        const PassTime time = clock.measure(pass, isFirst);
        if (std::exchange(isFirst, false))
            // Nothing overlaps until the devices have their first batch.
            made = (time.loading() + time.filtering() + time.gather + time.upload) /
                   static_cast<double>(std::max<Index>(1, work.plan.batchesPerPass));
        // T_compute (17). The next pass loads its held views once the last of this pass's are used.
        made = std::max(made + time.held(), storedBeforeLast) +
               std::max({time.loading(), time.host(), time.gather, time.upload, time.device});
        // T_post (18): slices are summed and stored while others are copied.
        storedBeforeLast = stored;
        stored = std::max(made, stored) + std::max({time.download, time.reduce, time.store});
        total.load += time.load;
        total.correct += time.correct;
        total.prepare += time.prepare;
        total.filter += time.hostFilter + time.deviceFilter;
        total.gather += time.gather;
        total.upload += time.upload + time.uploadToFilter;
        total.backproject += time.backproject;
        total.download += time.download + time.downloadFiltered;
        total.reduce += time.reduce;
        total.store += time.store;
        device += time.device;
    }
    // T_runtime (19)
    total.wall = stored;
    total.boundingStage = boundingStage(total, device, work.heldViews > 0);
    return total;
}

// A margin for what the rates do not cover: the CPU also reads, writes and checks files.
constexpr double kClearly = 0.95;

ViewState chooseFilterPlace(const DeviceWorkload& work, ViewState onDevice,
                            const MachineRates& rates) {
    const bool allFilter =
        std::ranges::all_of(rates.devices, [](const DeviceRates& d) { return d.filterPixels > 0; });
    if (!allFilter) return ViewState::filtered;
    const bool isCpuKnown = rates.preparePixels > 0 && rates.filterPixels > 0;
    if (!isCpuKnown) return onDevice;
    const double onCpu = forecast(work, ViewState::filtered, rates).wall;
    return onCpu < kClearly * forecast(work, onDevice, rates).wall ? ViewState::filtered : onDevice;
}

ViewState chooseFilterPlaceOfRank(const DeviceWorkload& work, const MachineRates& rates) {
    const JobPlan& plan = work.plan;
    const ViewState onDevice = plan.filteredFrom.value();
    if (rates.devices.empty() || rates.devices.front().filterPixels <= 0)
        return ViewState::filtered;
    if (rates.preparePixels <= 0 || rates.filterPixels <= 0) return onDevice;
    const DeviceRates& device = rates.devices.front();
    const auto columns = static_cast<double>(work.geometry.detector.columns);
    const auto views = static_cast<double>(plan.views.size());
    double read = 0;  // pixels
    double taken = 0;
    double updates = 0;
    for (const PassPlan& pass : plan.passes) {
        read += columns * static_cast<double>(pass.loadedRows().size()) * views /
                static_cast<double>(std::max<std::size_t>(1, pass.column.size()));
        taken += columns * static_cast<double>(pass.rows.size()) * views;
        for (const Assignment& part : pass.assignments)
            updates += static_cast<double>(work.grid.voxels[0] * work.grid.voxels[1] *
                                           plan.slabs[part.slab].slices.size() * part.views.size());
    }
    constexpr double kFloat = sizeof(float);
    const double pixelBytes =
        onDevice == ViewState::stored ? static_cast<double>(work.storedBytesPerPixel) : kFloat;
    const double prepare = seconds(read, rates.preparePixels);
    const double backproject = seconds(updates, device.updates);
    const double upload = seconds(kFloat * taken, device.uploadBytes);
    const double onCpu =
        std::max({prepare + seconds(read, rates.filterPixels), backproject, upload});
    const double there = std::max({onDevice == ViewState::stored ? 0 : prepare,
                                   backproject + seconds(read, device.filterPixels),
                                   upload + seconds(pixelBytes * read, device.uploadBytes),
                                   seconds(kFloat * read, device.downloadBytes)});
    return onCpu < kClearly * there ? ViewState::filtered : onDevice;
}

bool isOfDevices(Stage stage) {
    return stage == Stage::upload || stage == Stage::download;
}

bool isOfRanks(Stage stage) {
    return stage == Stage::gather || stage == Stage::reduce;
}

double secondsOf(const Forecast& forecast, Stage stage) {
    for (const ForecastField& field : kForecastFields)
        if (field.stage == stage) return forecast.*field.seconds;
    return 0;
}

double laneSecondsOf(const Forecast& forecast, Stage stage) {
    const bool onDevices = isOfDevices(stage) || stage == Stage::backproject ||
                           (stage == Stage::filter && forecast.devicesFilter);
    return secondsOf(forecast, stage) * (onDevices ? std::max(1, forecast.devices) : 1);
}

Forecast ofAllRanks(std::span<const Forecast> ranks) {
    Forecast all;
    const Forecast* slowest = nullptr;
    bool isKnown = !ranks.empty();
    for (const Forecast& rank : ranks) {
        isKnown = isKnown && rank.wall > 0;
        if (!slowest || rank.wall > slowest->wall) slowest = &rank;
        all.devices += rank.devices;
        all.devicesFilter = all.devicesFilter || rank.devicesFilter;
    }
    for (const ForecastField& field : kForecastFields) {
        for (const Forecast& rank : ranks)
            all.*field.seconds += laneSecondsOf(rank, field.stage);
        // One second a stage, because laneSecondsOf() multiplies by the devices.
        Forecast one = all;
        one.*field.seconds = 1;
        all.*field.seconds /= laneSecondsOf(one, field.stage);
    }
    if (!isKnown) return all;
    all.wall = slowest->wall;
    all.boundingStage = slowest->boundingStage;
    return all;
}

}  // namespace gantry
