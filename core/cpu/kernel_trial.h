#pragma once

#include "core/engine/kernel.h"

namespace gantry {

/// The work and time of a kernel with a batch of views and a piece of the volume.
struct PieceTrial {
    double columns = 0;  ///< columns of voxels, times views
    double slices = 0;
    double seconds = 0;

    [[nodiscard]] double updates() const { return columns * slices; }
};

/// Predicts the time of a large piece from two small ones of the same height: the fixed cost of a
/// batch, for repacking, is most of their time on a wide detector, but little of the large one's.
/// Tests: tests/core/cpu/kernel_trial_test.cpp
[[nodiscard]] double predictedSeconds(const PieceTrial& small, const PieceTrial& middle,
                                      double updates);

/// Completes a choice for slabs as wide as the volume, from pieces that differ only in their width
/// (middle and large) or their height (large and thin). The time of a batch is that of repacking it
/// plus that of its columns, part of which is proportional to their slices. The choice is left
/// unchanged where a trial was interrupted.
/// wider: columns of such a slab for one of the large piece
/// Tests: tests/core/cpu/kernel_trial_test.cpp
void takeSlabSpeed(const PieceTrial& middle, const PieceTrial& large, const PieceTrial& thin,
                   double wider, KernelChoice& found);

}  // namespace gantry
