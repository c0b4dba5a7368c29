#include "core/plan/cluster/rank_forecast.h"

#include <algorithm>

namespace gantry {

Forecast withExchanges(Forecast own, const JobPlan& plan, const VolumeGrid& grid,
                       Index detectorColumns, const ExchangeRates& rates) {
    if (rates.gatherBytes <= 0 || rates.reduceBytes <= 0) return own;
    const auto sliceBytes =
        sizeof(float) * static_cast<double>(grid.voxels[0]) * static_cast<double>(grid.voxels[1]);
    const double viewRowBytes = sizeof(float) * static_cast<double>(detectorColumns) *
                                static_cast<double>(plan.views.size());
    for (const PassPlan& pass : plan.passes) {
        if (pass.isGathered())
            own.gather += viewRowBytes * static_cast<double>(pass.rows.size()) / rates.gatherBytes;
        for (const Assignment& part : pass.assignments)
            if (plan.columnCount() > 1)
                own.reduce += sliceBytes *
                              static_cast<double>(
                                  plan.slabs[static_cast<std::size_t>(part.slab)].slices.size()) /
                              rates.reduceBytes;
    }
    if (own.wall <= 0) return own;
    const bool isOnCpu = own.devices == 0;
    // On devices all slabs but the last are summed while the next is made.
    const double lastReduce =
        own.reduce / static_cast<double>(std::max<std::size_t>(1, plan.passes.size()));
    own.wall = isOnCpu ? own.wall + own.gather + own.reduce
                       : std::max({own.wall, own.gather, own.reduce}) + lastReduce;
    for (const Stage stage : {Stage::gather, Stage::reduce})
        if (const double most = secondsOf(own, parseStage(own.boundingStage));
            secondsOf(own, stage) > most)
            own.boundingStage = name(stage);
    return own;
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
        // laneSecondsOf() multiplies with them again.
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
