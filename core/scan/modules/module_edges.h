#pragma once

#include <vector>

#include "core/scan/modules/steady_profiles.h"

namespace gantry {

/// Where the modules of a detector seem to begin along one of its sides.
struct EdgesFound {
    std::vector<Index> edges;     ///< the first place of each module but the first one
    std::vector<Index> unsteady;  ///< where the detector steps in one half of the views only
    /// In which steps are fitted: as wide as the object and the noise allow.
    StepWindow window;
    /// Standard deviation of a pixel of the profiles, with what the object adds in this window.
    double noise = 0;
};

/// Finds where the views of a scan step: sharply, from one pixel to the next, along most of
/// the detector's other side, by the same in both halves of the views. What an object, its edge or
/// a single column does is none.
/// Tests: tests/core/scan/module_steps_test.cpp
[[nodiscard]] EdgesFound findModuleEdges(const SteadyProfiles& profiles, DetectorSide side);

}  // namespace gantry
