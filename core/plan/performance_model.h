#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "core/engine/device_rates.h"
#include "core/engine/view_state.h"
#include "core/pipeline/timeline.h"

namespace gantry {

/// What a rank receives from others a second in a run; 0 where it is not known.
struct ExchangeRates {
    double gatherBytes = 0;  ///< of filtered views, including its own part
    double reduceBytes = 0;  ///< of slices that it sums with theirs
};

struct AlignedViews;
struct JobPlan;
struct VolumeGrid;

/// Rates of one machine with all the threads of the job, one stage at a time. Unknown rates are 0,
/// and take no time in a forecast.
struct MachineRates {
    double loadBytes = 0;                ///< stored bytes read and decoded
    double preparePixels = 0;            ///< counts to line integrals, on the CPU
    double filterPixels = 0;             ///< at this detector's width, on the CPU
    double updates = 0;                  ///< voxel updates of the CPU's back-projection
    double storeBytes = 0;               ///< of the finished volume
    std::vector<DeviceRates> devices{};  ///< one a device of the job
    double correctPixels = 0;            ///< by all steps together; 0: there are none
    ExchangeRates exchange{};            ///< between this rank and others
};

/// The amount of work in a job on the CPU, all passes together.
struct Workload {
    double loadBytes = 0;
    double preparePixels = 0;
    double filterPixels = 0;
    double updates = 0;
    double storeBytes = 0;
    double gatherBytes = 0;  ///< filtered views, with several ranks
    double reduceBytes = 0;  ///< slices that ranks sum
    double correctPixels = 0;
    bool isHeld = false;  ///< all views are corrected before any is back-projected
};

/// The work of the plan's passes that remain. outputBytes: of the whole finished volume |
/// heldViews: see DeviceWorkload
[[nodiscard]] Workload workload(const AlignedViews& geometry, const VolumeGrid& grid,
                                const JobPlan& plan, Index storedBytesPerPixel, Index outputBytes,
                                Index heldViews = 0);

/// Predicts how long each stage of a run works, seconds. Stages work at the same time. A stage that
/// runs on several devices at once counts as long as the slowest of them.
struct Forecast {
    double load = 0;
    double correct = 0;  ///< 0 where nothing is corrected
    double prepare = 0;  ///< 0 where devices prepare while they filter
    double filter = 0;
    double gather = 0;  ///< with several ranks
    double upload = 0;
    double backproject = 0;
    double download = 0;
    double reduce = 0;  ///< with several ranks
    double store = 0;
    double wall = 0;                 ///< whole run; 0: not predicted
    std::string_view boundingStage;  ///< the stage that bounds the whole run
    int devices = 0;                 ///< devices that back-project; 0: the CPU does
    bool devicesFilter = false;
    double project = 0;  ///< of iterative methods
};

/// A stage that a forecast has seconds for, and the field that has them.
struct ForecastField {
    Stage stage;
    double Forecast::*seconds;
};
inline constexpr std::array<ForecastField, 11> kForecastFields = {
    {{Stage::load, &Forecast::load},
     {Stage::correct, &Forecast::correct},
     {Stage::prepare, &Forecast::prepare},
     {Stage::filter, &Forecast::filter},
     {Stage::gather, &Forecast::gather},
     {Stage::upload, &Forecast::upload},
     {Stage::project, &Forecast::project},
     {Stage::backproject, &Forecast::backproject},
     {Stage::download, &Forecast::download},
     {Stage::reduce, &Forecast::reduce},
     {Stage::store, &Forecast::store}}};
/// Whether only devices have this stage, so that a forecast for the CPU lacks it.
[[nodiscard]] bool isOfDevices(Stage stage);
/// Whether only runs by several ranks have this stage.
[[nodiscard]] bool isOfRanks(Stage stage);

/// The predicted time of one stage, seconds; 0: not predicted.
[[nodiscard]] double secondsOf(const Forecast& forecast, Stage stage);
/// The same summed over all devices, as a timeline sums their spans.
[[nodiscard]] double laneSecondsOf(const Forecast& forecast, Stage stage);

/// Forecast for the CPU. Its stages share the cores, so their compute adds up, while disks work
/// beside it: wall = max(load, store, correct + prepare + filter + back-project), plus the first
/// load and the last store, which nothing overlaps (iFDK equations 8 to 19 for one rank). The
/// thread that loads views also corrects them. Views that are held are loaded and corrected before
/// the rest begins. Exchanges with other ranks use the same cores and memory, so their time is
/// added. Waiting for slower ranks is not predicted.
[[nodiscard]] Forecast forecast(const Workload& work, const MachineRates& rates,
                                Index passesAndBatches);

/// The work of a job on devices: the passes of a plan that remain.
struct DeviceWorkload {
    const AlignedViews& geometry;  ///< of the aligned detector
    const VolumeGrid& grid;
    const JobPlan& plan;
    Index storedBytesPerPixel = 0;
    Index outputBytes = 0;  ///< of the whole finished volume
    /// Where views are held: how many a pass loads and corrects before it back-projects the first
    /// one, including those of other ranks; 0: batches are corrected one by one.
    Index heldViews = 0;
    /// Rows that a device holds of them for all passes, which come before the first; empty: each
    /// pass takes its own.
    IndexRange rowsHeldAtOnce = {};
};

/// iFDK equations 8 to 19 for one rank with n devices, pass by pass: the next slabs are made while
/// finished ones are copied, summed with those of other ranks and stored, so that only what follows
/// the last pass adds to the time. Views that one device takes cross its own link. A device that
/// filters views before they are gathered takes one batch after the other and returns it.
/// Tests: tests/core/plan/device_forecast_test.cpp
[[nodiscard]] Forecast forecast(const DeviceWorkload& work, ViewState handedOver,
                                const MachineRates& rates);

/// Chooses where views are filtered when that is left open: `onDevice` (stored or prepared), or
/// `filtered` if a device cannot filter or if the whole run is predicted to be clearly faster with
/// the filter on the CPU. The CPU's filter rate must be known for that.
[[nodiscard]] ViewState chooseFilterPlace(const DeviceWorkload& work, ViewState onDevice,
                                          const MachineRates& rates);

/// The same for a rank that filters a part of the views and gathers the others. The device takes
/// what the rank reads (JobPlan::filteredFrom) and returns it filtered, in addition to the views
/// that it back-projects, which cross its link in any case.
[[nodiscard]] ViewState chooseFilterPlaceOfRank(const DeviceWorkload& work,
                                                const MachineRates& rates);

/// Combines the forecasts of all ranks of a run as a timeline adds up their spans: the sum of each
/// stage's seconds, and the wall time of the slowest rank; not predicted where one rank's is not.
/// Tests: tests/core/plan/rank_forecast_test.cpp
[[nodiscard]] Forecast ofAllRanks(std::span<const Forecast> ranks);

}  // namespace gantry
