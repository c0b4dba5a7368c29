#pragma once

#include <cuda_runtime_api.h>

#include <cmath>
#include <optional>

#include "gpu/kernels/cone_batch.h"

namespace gantry::gpu {

/// One view of a parallel beam square to the volume's z axis, on voxel indices: pixel u = a·i + b·j
/// + c of row v = rowStep·k + firstRow.
struct ParallelView {
    double a = 0;
    double b = 0;
    double c = 0;
    double rowStep = 1;
    double firstRow = 0;
};

/// The same view of nU pixels with a ≥ 0: pixels are in reverse order where a is negative.
__host__ __device__ inline ParallelView upright(const ParallelView& view, int nU) {
    if (!(view.a < 0)) return view;
    return {-view.a, -view.b, nU - 1 - view.c, view.rowStep, view.firstRow};
}

/// It is small enough to be a kernel's argument.
struct ParallelBatch {
    ParallelView view[kMaxViews];
    int views = 0;
};

/// The batch as views of a parallel beam; none if a view is not one, or if its rows are not
/// parallel to the slices. Tests: tests/gpu/kernels/parallel_batch_test.cpp
inline std::optional<ParallelBatch> parallelBatch(const ConeBatch& batch) {
    constexpr double kTolerance = 1e-10;  // a voxel: a millionth of a pixel over 10,000 voxels
    ParallelBatch result;
    result.views = batch.views;
    for (int s = 0; s < batch.views; ++s) {
        const auto& m = batch.m[s];
        const double w = m[2][3];
        const double across = std::abs(m[2][0]) + std::abs(m[2][1]) + std::abs(m[2][2]);
        const double oblique = std::abs(m[0][2]) + std::abs(m[1][0]) + std::abs(m[1][1]);
        if (!(w > 0) || across > kTolerance * w || oblique > kTolerance * w) return {};
        result.view[s] = {m[0][0] / w, m[0][1] / w, m[0][3] / w, m[1][2] / w, m[1][3] / w};
    }
    return result;
}

}  // namespace gantry::gpu
