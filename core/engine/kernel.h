#pragma once

#include <string>

#include "core/base/types.h"

namespace gantry {

/// What back-projects.
enum class EngineKind { cpu, gpu };

/// A way to back-project, as users name it and as planning has to know it. Each engine registers
/// its kernels once, in one list beside what makes them (core/cpu/cpu_backend.cpp,
/// gpu/engine/cone_kernel.cpp); planning, options and the desktop see those lists.
struct Kernel {
    std::string name;     ///< "tile"; one of its shapes "tile-8x8x128-runs"
    bool isFast = false;  ///< by texture hardware or in half floats: only where a request allows it
    Index layerSlices = 1;  ///< made at a time: a layer filled in part takes as long as a full one
    bool mirrors = false;   ///< makes a slab and its mirror image at the price of one: pairs of
                            ///< slabs pay
    bool takesAnyViews = false;  ///< also such that stand on detectors of their own
    bool isForParallel = false;  ///< only views that areParallel(), in place of the usual kernel

    /// Of its speed on a slab that is its own mirror image, or is not.
    [[nodiscard]] double partOfSpeed(bool isOwnMirror) const {
        // One fetch for each voxel, not one for two.
        constexpr double kWithoutMirror = 0.5;
        return mirrors && !isOwnMirror ? kWithoutMirror : 1;
    }

    friend bool operator==(const Kernel&, const Kernel&) = default;
};

/// The kernel that a job takes on a device, and how fast it was in a trial.
struct KernelChoice {
    Kernel kernel;
    double updatesPerSecond = 0;  ///< where it mirrors, on slabs that are their own mirror image
    double slices = 0;            ///< of the slab on which it was that fast; 0: does not matter
    double columnSlices = 0;      ///< what a column of voxels costs beside its slices, as so many

    /// On a slab of so many slices. Tests: tests/core/plan/performance_model_test.cpp
    [[nodiscard]] double updatesPerSecondOn(double slabSlices) const {
        if (slices <= 0 || slabSlices <= 0) return updatesPerSecond;
        return updatesPerSecond * (1 + columnSlices / slices) / (1 + columnSlices / slabSlices);
    }
};

}  // namespace gantry
