#pragma once

#include <string>

#include "core/base/types.h"

namespace gantry {

struct AlignedViews;

/// The kind of engine that back-projects.
enum class EngineKind { cpu, gpu };

/// A way to back-project, as users name it and as planning must know it. Each engine registers its
/// kernels once, in one list beside the code that makes them (core/cpu/cpu_backend.cpp,
/// gpu/engine/cone_kernel.cpp); planning, options and the desktop use those lists.
struct Kernel {
    std::string name;       ///< "tile"; one of its shapes "tile-8x8x128-runs"
    bool isFast = false;    ///< texture hardware or half floats: only where a request allows it
    Index layerSlices = 1;  ///< slices made at a time: a partly filled layer takes as long as a
                            ///< full one
    bool mirrors = false;   ///< makes a slab and its mirror image at the price of one, so pairs of
                            ///< slabs pay off
    bool takesAnyViews = false;  ///< takes views with a detector of their own each, too
    bool isForParallel = false;  ///< takes only views that areParallel()

    /// The part of its speed that it reaches on a slab, which may be its own mirror image.
    [[nodiscard]] double partOfSpeed(bool isOwnMirror) const {
        // It then fetches once for each voxel, not once for two.
        constexpr double kWithoutMirror = 0.5;
        return mirrors && !isOwnMirror ? kWithoutMirror : 1;
    }

    friend bool operator==(const Kernel&, const Kernel&) = default;
};

/// Whether the kernel can add these views.
/// Tests: tests/core/engine/kernel_test.cpp
[[nodiscard]] bool takesViews(const Kernel& kernel, const AlignedViews& views);

/// The kernel that is chosen for a job on a device, and its speed in a trial.
struct KernelChoice {
    Kernel kernel;
    double updatesPerSecond = 0;  ///< on slabs that are their own mirror image if it mirrors
    double slices = 0;            ///< slices of the slab with that speed; 0: they do not matter
    double columnSlices = 0;      ///< cost of a column of voxels beside its slices, in slices

    /// Its speed on a slab of that many slices. Tests: tests/core/plan/performance_model_test.cpp
    [[nodiscard]] double updatesPerSecondOn(double slabSlices) const {
        if (slices <= 0 || slabSlices <= 0) return updatesPerSecond;
        return updatesPerSecond * (1 + columnSlices / slices) / (1 + columnSlices / slabSlices);
    }
};

}  // namespace gantry
