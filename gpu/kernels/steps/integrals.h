#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "gpu/kernels/prepare/prepare_rows.h"

namespace gantry::gpu {

/// What a view's counters count: invalid pixels by kind, and zingers.
inline constexpr int kViewCounters = kInvalidKinds + 1;
inline constexpr int kZingerCounter = kInvalidKinds;

/// Counters of views on the device, some counts of each.
struct ViewCounters {
    unsigned* found = nullptr;                 ///< [count][s][kViewCounters] of the scan
    const std::int16_t* countOfRow = nullptr;  ///< [row] of the detector; −1: it is not counted
    int views = 0;                             ///< of the scan

    /// The counters that a row of a view adds to; null: none.
    __device__ unsigned* of(int view, int row) const {
        const int count = countOfRow[row];
        return count < 0
                   ? nullptr
                   : found + (static_cast<std::int64_t>(count) * views + view) * kViewCounters;
    }
};

/// Views to be turned into line integrals. All memory is on the device.
struct IntegralsTask {
    const void* pixels = nullptr;  ///< [s][v][u], aligned to their type
    StoredType type = StoredType::float32;
    Preparation preparation = Preparation::counts;  ///< counts or attenuation
    int views = 0;
    int rows = 0;
    int columns = 0;
    int firstView = 0;      ///< of the scan
    int firstRow = 0;       ///< of the detector
    ViewCounters counters;  ///< counts are added to them

    const float* dark = nullptr;  ///< [v][u] of the detector; see StoredRow
    const float* netSignal = nullptr;
    float saturation = 0;
    const float* offsets = nullptr;  ///< [s][3] of the scan, see beamOf(); null: nothing is added
};

/// out: line integrals, [s][v][u]
void toIntegrals(const IntegralsTask& task, float* out, cudaStream_t stream);

}  // namespace gantry::gpu
