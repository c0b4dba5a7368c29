#pragma once

#include <cmath>
#include <optional>

#include "gpu/kernels/cone_batch.h"

namespace gantry::gpu {

/// Whether in all views the depth and the column are constant along z and rows rise with it, which
/// kernels for aligned detectors need.
inline bool isAligned(const ConeBatch& batch) {
    constexpr double kTolerance = 1e-10;
    for (int s = 0; s < batch.views; ++s) {
        const auto& m = batch.m[s];
        const bool rises = m[1][2] > 0 && std::abs(m[0][2]) <= kTolerance * m[1][2] &&
                           std::abs(m[2][2]) <= kTolerance * std::hypot(m[2][0], m[2][1]);
        if (!rises) return false;
    }
    return true;
}

/// v(k) + v(nZ−1−k), if it is one whole number for all columns, voxels and views of an aligned
/// batch; slices of the upper range count with the gap before them. Then the slab is its own mirror
/// image, and rows r and mirrorSum − r of a view exchange places. Rows count from the batch's
/// first. Tests: tests/gpu/kernels/cone_math_test.cpp
inline std::optional<int> mirrorSum(const ConeBatch& batch, const ConeSlab& slab) {
    constexpr double kTolerance = 1e-6;  // rows; float coordinates are no closer
    constexpr double kMax = 1 << 20;     // rows; no detector has as many
    std::optional<double> sum;
    for (int s = 0; s < batch.views; ++s)
        for (const int i : {0, slab.nX - 1})
            for (const int j : {0, slab.nY - 1}) {
                const auto& m = batch.m[s];
                const double depth = m[2][0] * i + m[2][1] * j + m[2][3];
                const double rows =
                    2 * (m[1][0] * i + m[1][1] * j + m[1][3]) + m[1][2] * (slab.nZ + slab.gap - 1);
                const double here = rows / depth;
                if (!sum) sum = std::round(here);
                if (!(std::abs(here - *sum) <= kTolerance && std::abs(here) <= kMax)) return {};
            }
    return sum ? std::optional(static_cast<int>(*sum)) : std::nullopt;
}

}  // namespace gantry::gpu
