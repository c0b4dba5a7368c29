#include "core/plan/performance_model.h"

#include <algorithm>

namespace gantry {

Workload workload(const ScanGeometry& geometry, const VolumeGrid& grid,
                  const std::vector<SlabPlan>& slabs, Index storedBytesPerPixel,
                  Index outputBytes) {
    const auto views = static_cast<double>(geometry.views);
    const auto columns = static_cast<double>(geometry.detector.columns);
    Workload work;
    for (const SlabPlan& slab : slabs)
        work.filterPixels += views * columns * static_cast<double>(slab.rows.size());
    work.preparePixels = work.filterPixels;
    work.loadBytes = work.filterPixels * static_cast<double>(storedBytesPerPixel);
    work.updates = views * static_cast<double>(grid.count());
    work.storeBytes = static_cast<double>(outputBytes);
    return work;
}

Forecast forecast(const Workload& work, const MachineRates& rates, Index passesAndBatches) {
    const auto seconds = [](double amount, double rate) { return rate > 0 ? amount / rate : 0; };
    Forecast result;
    result.load = seconds(work.loadBytes, rates.loadBytes);
    result.prepare = seconds(work.preparePixels, rates.preparePixels);
    result.filter = seconds(work.filterPixels, rates.filterPixels);
    result.backproject = seconds(work.updates, rates.updates);
    result.store = seconds(work.storeBytes, rates.storeBytes);

    const std::array<std::pair<double, std::string_view>, 5> stages = {
        {{result.load, "load"},
         {result.prepare, "prepare"},
         {result.filter, "filter"},
         {result.backproject, "back-project"},
         {result.store, "store"}}};
    result.boundingStage = std::max_element(stages.begin(), stages.end())->second;
    const double compute = result.prepare + result.filter + result.backproject;
    const double overlapped = std::max({result.load, compute, result.store});
    const double firstLoad =
        result.load / static_cast<double>(std::max<Index>(1, passesAndBatches));
    // With one slab there is nothing left to overlap the store with.
    result.wall = overlapped + firstLoad + (overlapped == result.store ? 0 : result.store);
    return result;
}

}  // namespace gantry
