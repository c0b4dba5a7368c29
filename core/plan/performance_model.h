#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "core/engine/device_rates.h"
#include "core/engine/view_state.h"
#include "core/pipeline/timeline.h"
#include "core/plan/exchange_rates.h"

namespace gantry {

struct AlignedViews;
struct JobPlan;
struct VolumeGrid;

/// What one machine does a second with all the threads of the job, one stage at a time. Unknown
/// rates are 0, and take no time in a forecast.
struct MachineRates {
    double loadBytes = 0;                ///< stored bytes read and decoded
    double preparePixels = 0;            ///< counts to line integrals, on the CPU
    double filterPixels = 0;             ///< at this detector's width, on the CPU
    double updates = 0;                  ///< voxel updates of the CPU's back-projection
    double storeBytes = 0;               ///< of the finished volume
    std::vector<DeviceRates> devices{};  ///< one a device of the job
    double correctPixels = 0;            ///< zingers, phase and rings, on the CPU; 0: none are done
    ExchangeRates exchange{};            ///< of a rank with others
};

/// Amounts of work in a job on the CPU, all passes together.
struct Workload {
    double loadBytes = 0;
    double preparePixels = 0;
    double filterPixels = 0;
    double updates = 0;
    double storeBytes = 0;
    double gatherBytes = 0;  ///< of filtered views, of several ranks
    double reduceBytes = 0;  ///< of slices that ranks sum
    double correctPixels = 0;
    bool isHeld = false;  ///< before all views are corrected, none of them is back-projected
};

/// Of the plan's passes that remain. outputBytes: of the whole finished volume
/// heldViews: see DeviceWorkload
[[nodiscard]] Workload workload(const AlignedViews& geometry, const VolumeGrid& grid,
                                const JobPlan& plan, Index storedBytesPerPixel, Index outputBytes,
                                Index heldViews = 0);

/// Forecast of a run: how long each stage works, seconds. Stages work at the same time. A stage
/// that runs on several devices at once counts as long as the slowest of them takes.
struct Forecast {
    double load = 0;
    double correct = 0;  ///< 0 where nothing is corrected
    double prepare = 0;  ///< 0 where devices prepare while they filter
    double filter = 0;
    double gather = 0;  ///< of several ranks
    double upload = 0;
    double backproject = 0;
    double download = 0;
    double reduce = 0;  ///< of several ranks
    double store = 0;
    double wall = 0;                 ///< of the whole; 0: not predicted
    std::string_view boundingStage;  ///< the stage that bounds the whole
    int devices = 0;                 ///< that back-project; 0: the CPU does
    bool devicesFilter = false;
};

/// The stages that a forecast has seconds for, and their places in it.
struct ForecastField {
    Stage stage;
    double Forecast::*seconds;
};
inline constexpr std::array<ForecastField, 10> kForecastFields = {
    {{Stage::load, &Forecast::load},
     {Stage::correct, &Forecast::correct},
     {Stage::prepare, &Forecast::prepare},
     {Stage::filter, &Forecast::filter},
     {Stage::gather, &Forecast::gather},
     {Stage::upload, &Forecast::upload},
     {Stage::backproject, &Forecast::backproject},
     {Stage::download, &Forecast::download},
     {Stage::reduce, &Forecast::reduce},
     {Stage::store, &Forecast::store}}};
/// Whether only devices do it, so that a forecast of the CPU has none.
[[nodiscard]] bool isOfDevices(Stage stage);
/// Whether only several ranks do it.
[[nodiscard]] bool isOfRanks(Stage stage);

/// What a forecast says of one stage, seconds; 0: nothing.
[[nodiscard]] double secondsOf(const Forecast& forecast, Stage stage);
/// The same of all devices together, as a timeline adds up what they do.
[[nodiscard]] double laneSecondsOf(const Forecast& forecast, Stage stage);

/// The CPU engine's stages share the cores, so their compute adds up, while disks work beside it:
/// wall = max(load, store, correct + prepare + filter + back-project), plus the first load and the
/// last store that nothing overlaps (iFDK equations 8 to 19 for one rank). Views are corrected by
/// the thread that loads them. What is held is loaded and corrected before the rest begins. What a
/// rank exchanges with others takes the same cores and memory, and adds to that. What it waits for
/// slower ones is in no forecast.
[[nodiscard]] Forecast forecast(const Workload& work, const MachineRates& rates,
                                Index passesAndBatches);

/// A job on devices: the passes of a plan that remain.
struct DeviceWorkload {
    const AlignedViews& geometry;  ///< of the aligned detector
    const VolumeGrid& grid;
    const JobPlan& plan;
    Index storedBytesPerPixel = 0;
    Index outputBytes = 0;  ///< of the whole finished volume
    /// Where rings are removed: views that a pass loads and corrects before it back-projects the
    /// first, those of other ranks included; 0: batches are corrected one by one.
    Index heldViews = 0;
};

/// iFDK equations 8 to 19 for one rank with n devices, pass by pass: the next slabs are made while
/// finished ones are copied, summed with those of other ranks and stored, so that only what comes
/// after the last pass adds to the time. Views that one device takes cross its own link. Where a
/// device filters views that are gathered, it takes one batch after the other and hands it back.
/// Tests: tests/core/plan/device_forecast_test.cpp
[[nodiscard]] Forecast forecast(const DeviceWorkload& work, ViewState handedOver,
                                const MachineRates& rates);

/// Where views are filtered when that is left open: `onDevice` (stored or prepared), or `filtered`
/// where the whole is predicted to be clearly faster with the filter on the CPU, or a device cannot
/// filter. The CPU's filter rate must be known for that.
[[nodiscard]] ViewState chooseFilterPlace(const DeviceWorkload& work, ViewState onDevice,
                                          const MachineRates& rates);

/// The same for a rank that filters a part of the views, and gathers the others'. The device takes
/// what the rank reads (JobPlan::filteredFrom) and hands it back, beside the views that it
/// back-projects, which cross its link in any case.
[[nodiscard]] ViewState chooseFilterPlaceOfRank(const DeviceWorkload& work,
                                                const MachineRates& rates);

}  // namespace gantry
