#pragma once

#include "core/engine/kernel.h"

namespace gantry {

/// What a kernel did with a batch of views and a piece of the volume.
struct PieceTrial {
    double columns = 0;  ///< of voxels, times views
    double slices = 0;
    double seconds = 0;

    [[nodiscard]] double updates() const { return columns * slices; }
};

/// What a large piece is likely to take, by two small ones of the same height: what a batch costs
/// in any case, as it is repacked, is most of their time on a wide detector, and little of its.
/// Tests: tests/core/cpu/kernel_trial_test.cpp
[[nodiscard]] double predictedSeconds(const PieceTrial& small, const PieceTrial& middle,
                                      double updates);

/// Completes a choice for slabs as wide as the volume, from pieces alike but for their width
/// (middle and large) or their height (large and thin). A batch takes as long as it is repacked,
/// and as its columns, each with a part for its slices. Left as it is where something has held a
/// trial up.
/// wider: columns of such a slab for one of the large piece
/// Tests: tests/core/cpu/kernel_trial_test.cpp
void takeSlabSpeed(const PieceTrial& middle, const PieceTrial& large, const PieceTrial& thin,
                   double wider, KernelChoice& found);

}  // namespace gantry
