#include <cstdint>

#include "gpu/kernels/parts.h"
#include "gpu/kernels/prepare/align_views.h"

namespace gantry::gpu {

namespace {

constexpr int kBlockColumns = 32;
constexpr int kBlockRows = 8;
constexpr int kViewsOfThread = 8;  // they share the position on the detector

__device__ inline float pixelAt(const float* view, const AlignTask& task, int u, int v) {
    const bool isInside = u >= 0 && u < task.columns && v >= 0 && v < task.rows;
    return isInside ? view[static_cast<std::int64_t>(v) * task.columns + u] : 0.0F;
}

// Interpolates in the same order as the CPU, for the same result.
__device__ inline float blended(const float* view, const AlignTask& task, double u, double v) {
    const int i = static_cast<int>(floor(u));
    const int j = static_cast<int>(floor(v));
    const auto du = static_cast<float>(u - floor(u));
    const auto dv = static_cast<float>(v - floor(v));
    const float left = pixelAt(view, task, i, j);
    const float lower = left + du * (pixelAt(view, task, i + 1, j) - left);
    const float above = pixelAt(view, task, i, j + 1);
    const float upper = above + du * (pixelAt(view, task, i + 1, j + 1) - above);
    return lower + dv * (upper - lower);
}

__global__ void alignKernel(const AlignTask task, const float* views, int nS, float* out) {
    const int column = static_cast<int>(blockIdx.x) * kBlockColumns + static_cast<int>(threadIdx.x);
    const int row = static_cast<int>(blockIdx.y) * kBlockRows + static_cast<int>(threadIdx.y);
    if (column >= task.padded || row >= task.rows) return;
    const auto& h = task.toReal;
    const double x = column - task.padBefore;
    const double y = row;
    const double depth = h[2][0] * x + h[2][1] * y + h[2][2];
    const double u = (h[0][0] * x + h[0][1] * y + h[0][2]) / depth;
    const double v = (h[1][0] * x + h[1][1] * y + h[1][2]) / depth;
    // Padding is 0, whatever the real detector has there.
    const bool isMeasured = x >= 0 && x < task.columns && depth > 0 && u > -1 && u < task.columns &&
                            v > -1 && v < task.rows;
    const int first = static_cast<int>(blockIdx.z) * kViewsOfThread;
    const std::int64_t viewPixels = static_cast<std::int64_t>(task.rows) * task.columns;
    for (int s = first; s < min(nS, first + kViewsOfThread); ++s)
        out[(static_cast<std::int64_t>(s) * task.rows + row) * task.padded + column] =
            isMeasured ? blended(views + s * viewPixels, task, u, v) : 0.0F;
}

}  // namespace

void alignViews(const AlignTask& task, const float* views, int nS, float* out,
                cudaStream_t stream) {
    const dim3 blocks(partsOf(task.padded, kBlockColumns), partsOf(task.rows, kBlockRows),
                      partsOf(nS, kViewsOfThread));
    alignKernel<<<blocks, dim3(kBlockColumns, kBlockRows), 0, stream>>>(task, views, nS, out);
}

}  // namespace gantry::gpu
