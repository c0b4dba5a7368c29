#include "core/plan/cluster/rank_forecast.h"

namespace gantry {

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
