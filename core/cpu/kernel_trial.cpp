#include "core/cpu/kernel_trial.h"

#include <algorithm>

namespace gantry {

double predictedSeconds(const PieceTrial& small, const PieceTrial& middle, double updates) {
    const double more = std::max(1.0, middle.updates() - small.updates());
    const double perUpdate = std::max(0.0, middle.seconds - small.seconds) / more;
    return middle.seconds + updates * perUpdate;
}

void takeSlabSpeed(const PieceTrial& middle, const PieceTrial& large, const PieceTrial& thin,
                   double wider, KernelChoice& found) {
    if (large.columns <= middle.columns || large.slices <= thin.slices) return;
    const double perColumn = (large.seconds - middle.seconds) / (large.columns - middle.columns);
    const double perSlice = (large.seconds - thin.seconds) / (large.slices - thin.slices);
    if (perSlice <= 0 || perColumn <= 0) return;
    const double repacking = std::max(0.0, large.seconds - perColumn * large.columns);
    const double columns = large.seconds - repacking;
    found.updatesPerSecond = large.updates() / (columns + repacking / std::max(1.0, wider));
    found.slices = large.slices;
    // A larger value means that the thin piece's trial was interrupted.
    found.columnSlices = std::clamp(columns / perSlice - large.slices, 0.0, large.slices);
}

}  // namespace gantry
