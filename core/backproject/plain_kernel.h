#pragma once

#include "core/backproject/simd_kernels.h"

// Included beside columns_kernel.h, so that the same flags apply to both.
namespace gantry {
namespace {

inline float plainPixel(const float* view, int nU, int nV, int row, int column) {
    const bool inside = row >= 0 && row < nV && column >= 0 && column < nU;
    return inside ? view[static_cast<Index>(row) * nU + column] : 0;
}

// iFDK algorithm 3, with zeros around the view.
inline float plainInterpolate(const float* view, int nU, int nV, float u, float v) {
    if (!(u > -1 && v > -1 && u < static_cast<float>(nU) && v < static_cast<float>(nV))) return 0;
    const int column = static_cast<int>(u + 1) - 1;
    const int row = static_cast<int>(v + 1) - 1;
    const float du = u - static_cast<float>(column);
    const float dv = v - static_cast<float>(row);
    const auto lineAt = [=](float q0, float q1) { return q0 * (1 - du) + q1 * du; };
    float below = 0;
    float above = 0;
    if (row >= 0 && row + 1 < nV && column >= 0 && column + 1 < nU) {
        const float* pixel = view + static_cast<Index>(row) * nU + column;
        below = lineAt(pixel[0], pixel[1]);
        above = lineAt(pixel[nU], pixel[nU + 1]);
    } else {
        below = lineAt(plainPixel(view, nU, nV, row, column),
                       plainPixel(view, nU, nV, row, column + 1));
        above = lineAt(plainPixel(view, nU, nV, row + 1, column),
                       plainPixel(view, nU, nV, row + 1, column + 1));
    }
    return below * (1 - dv) + above * dv;
}

// iFDK algorithm 2 in float in its plainest form: three inner products, a division and a bilinear
// interpolation for every voxel and view.
inline void addPlainSlice(const PlainTask& task, int k) {
    const auto z = static_cast<float>(k);
    for (int s = 0; s < task.nS; ++s) {
        const auto& m = task.matrices[s].m;
        const float* view = task.views + static_cast<Index>(s) * task.nV * task.nU;
        for (int j = 0; j < task.nY; ++j) {
            const auto y = static_cast<float>(j);
            float* line = task.volume + (static_cast<Index>(k) * task.nY + j) * task.nX;
            for (int i = 0; i < task.nX; ++i) {
                const auto x = static_cast<float>(i);
                const float depth = m[2][0] * x + m[2][1] * y + m[2][2] * z + m[2][3];
                if (!(depth > 0)) continue;
                const float f = 1 / depth;
                const float u = (m[0][0] * x + m[0][1] * y + m[0][2] * z + m[0][3]) * f;
                const float v = (m[1][0] * x + m[1][1] * y + m[1][2] * z + m[1][3]) * f;
                line[i] += f * f * plainInterpolate(view, task.nU, task.nV, u, v);
            }
        }
    }
}

}  // namespace
}  // namespace gantry
