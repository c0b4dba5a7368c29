#pragma once

#include "core/base/lane_transform.h"

namespace gantry {

/// Tables that all rows of a filter share. They are plain pointers: the kernels are compiled once
/// per instruction set and must not share inline functions of the library with the rest of the
/// program.
struct LaneTables {
    int columns = 0;
    int length = 0;  ///< complex points, at least `columns`
    int stages = 0;
    const LaneStage* stage = nullptr;
    const float* response = nullptr;  ///< [length], in the transform's order of points
    const float* twist = nullptr;     ///< [columns][2]: cos, sin of π·j/(2·length)
};

/// Up to `lanes` rows of one view, filtered in place.
struct LaneRows {
    float* first = nullptr;
    long stride = 0;  ///< floats from one row to the next
    int count = 0;
    const float* scale = nullptr;    ///< [u]
    const float* squareU = nullptr;  ///< [u]
    const float* squareV = nullptr;  ///< [lanes]: row r is weighted with scale/√(squareU+squareV)
    float* scratch = nullptr;        ///< 2·length·lanes floats, aligned to 64 bytes
};

/// Filters several rows at once, one in each lane of a SIMD register.
struct LaneKernel {
    const char* name;
    int lanes;
    void (*filter)(const LaneTables&, const LaneRows&);
};

/// The kernels of this program; null if this build lacks one. supportedLaneKernels() checks which
/// of them the processor can run.
[[nodiscard]] const LaneKernel* portableLaneKernel();
[[nodiscard]] const LaneKernel* avx2LaneKernel();
[[nodiscard]] const LaneKernel* avx512LaneKernel();

}  // namespace gantry
