#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "core/plan/slabs.h"

namespace gantry {

/// What one machine does a second with all the threads of the job, one stage at a time.
struct MachineRates {
    double loadBytes = 0;      ///< stored bytes read and decoded
    double preparePixels = 0;  ///< counts to line integrals
    double filterPixels = 0;   ///< at this detector's width
    double updates = 0;        ///< voxel updates of the back-projection
    double storeBytes = 0;     ///< of the finished volume
};

/// How much of each there is in a job, all passes together.
struct Workload {
    double loadBytes = 0;
    double preparePixels = 0;
    double filterPixels = 0;
    double updates = 0;
    double storeBytes = 0;
};

[[nodiscard]] Workload workload(const ScanGeometry& geometry, const VolumeGrid& grid,
                                const std::vector<SlabPlan>& slabs, Index storedBytesPerPixel,
                                Index outputBytes);

/// Forecast of a run, seconds. The CPU engine's stages share the cores, so their compute adds up,
/// while disks work beside it: wall = max(load, store, prepare + filter + back-project), plus the
/// first load and the last store that nothing overlaps (iFDK equations 8 to 19 for one rank).
struct Forecast {
    double load = 0;
    double prepare = 0;
    double filter = 0;
    double backproject = 0;
    double store = 0;
    double wall = 0;
    std::string_view boundingStage;  ///< the longest
};
[[nodiscard]] Forecast forecast(const Workload& work, const MachineRates& rates,
                                Index passesAndBatches);

}  // namespace gantry
