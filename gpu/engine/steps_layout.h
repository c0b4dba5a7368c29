#pragma once

#include "core/engine/view_steps.h"

namespace gantry {

/// Bytes of views, of sinograms or of their transforms, that are worked on at a time.
inline constexpr Index kStepBytes = Index{64} << 20;

/// The sizes in which a device works on views and sinograms.
struct StepsLayout {
    Index views;  ///< of the scan
    Index columns;
    Index viewPixels;  ///< that are read of a view
    Index pieceViews;
    Index heldPixels;
    // For steps that see all views:
    Index laneRows = 0;    ///< that are worked on at a time
    Index lanes = 0;       ///< each has its own memory
    Index lanePixels = 0;  ///< of sinograms that come from the host

    explicit StepsLayout(const ViewStepsJob& job);

    /// Device memory of everything, bytes.
    [[nodiscard]] Index bytes(const ViewStepsJob& job) const;
};

}  // namespace gantry
