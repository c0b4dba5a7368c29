#pragma once

#include "core/engine/view_steps.h"
#include "gpu/kernels/steps/view_filters.h"

namespace gantry {

/// The sizes in which a device works on views and sinograms.
struct StepsLayout {
    Index views;  ///< of the scan
    Index columns;
    Index viewPixels;  ///< that are read of a view
    Index pieceViews;
    gpu::PhaseImages phase;
    Index imagePoints = 0;  ///< of real images
    Index spectrumPoints = 0;
    Index images = 0;  ///< that are transformed at a time
    Index heldPixels;
    Index ringRows = 0;
    Index ringLanes = 0;   ///< each has its own memory
    Index lanePixels = 0;  ///< of sinograms that come from the host

    explicit StepsLayout(const ViewStepsJob& job);

    /// Device memory of everything, bytes.
    [[nodiscard]] Index bytes(const ViewStepsJob& job) const;
};

}  // namespace gantry
