#include <cstdint>

#include "gpu/kernels/parts.h"
#include "gpu/kernels/steps/mirrored.h"
#include "gpu/kernels/steps/wavelets.h"

namespace gantry::gpu {

namespace {

constexpr int kThreads = 256;

// A pixel of sinograms: x is u, y the row and z the view, which may be more than a grid's z can be.
struct Pixel {
    int u;
    int row;
    __device__ Pixel()
        : u(static_cast<int>(blockIdx.x * kThreads + threadIdx.x)),
          row(static_cast<int>(blockIdx.z)) {}
};

dim3 blocksFor(int columns, int views, int rows) {
    return {static_cast<unsigned>(partsOf(columns, kThreads)), static_cast<unsigned>(views),
            static_cast<unsigned>(rows)};
}

__device__ float* rowOf(const Sinograms& sinograms, int s, int row) {
    return sinograms.data + s * sinograms.viewStride +
           static_cast<std::int64_t>(row) * sinograms.columns;
}

__device__ std::int64_t lineAt(int s, const Pixel& pixel, int rows, int columns) {
    return (static_cast<std::int64_t>(s) * rows + pixel.row) * columns + pixel.u;
}

__global__ void analyseViewsKernel(const WaveletTaps taps, const Sinograms from, float* lines) {
    const Pixel pixel;
    if (pixel.u >= from.columns) return;
    const int s = static_cast<int>(blockIdx.y);
    float low = 0;
    for (int j = 0; j < kWaveletTaps; ++j)
        low +=
            taps.low[j] * rowOf(from, mirroredIndex(2 * s + 1 - j, from.views), pixel.row)[pixel.u];
    lines[lineAt(s, pixel, from.rows, from.columns)] = low;
}

__global__ void analyseColumnsKernel(const WaveletTaps taps, const WaveletScale to,
                                     const float* lines, int columns) {
    const Pixel pixel;
    if (pixel.u >= to.smooth.columns) return;
    const int s = static_cast<int>(blockIdx.y);
    const float* line =
        lines + (static_cast<std::int64_t>(s) * to.smooth.rows + pixel.row) * columns;
    float low = 0;
    float high = 0;
    for (int j = 0; j < kWaveletTaps; ++j) {
        const float value = line[mirroredIndex(2 * pixel.u + 1 - j, columns)];
        low += taps.low[j] * value;
        high += taps.high(j) * value;
    }
    rowOf(to.smooth, s, pixel.row)[pixel.u] = low;
    rowOf(to.stripes, s, pixel.row)[pixel.u] = high;
}

__global__ void slowSumsKernel(const Sinograms band, const float2* circle, const float* gains,
                               float2* sums) {
    const Pixel pixel;
    if (pixel.u >= band.columns) return;
    const int k = static_cast<int>(blockIdx.y);
    float2 sum = {0, 0};
    int m = 0;  // k·s modulo the views
    for (int s = 0; s < band.views; ++s) {
        const float value = rowOf(band, s, pixel.row)[pixel.u];
        sum.x += value * circle[m].x;
        sum.y += value * circle[m].y;
        m += k;
        if (m >= band.views) m -= band.views;
    }
    sums[lineAt(k, pixel, band.rows, band.columns)] = {sum.x * gains[k], sum.y * gains[k]};
}

__global__ void slowPartKernel(const Sinograms band, int count, const float2* circle,
                               const float2* sums) {
    const Pixel pixel;
    if (pixel.u >= band.columns) return;
    const int s = static_cast<int>(blockIdx.y);
    float slow = 0;
    int m = 0;
    for (int k = 0; k < count; ++k) {
        const float2 sum = sums[lineAt(k, pixel, band.rows, band.columns)];
        slow += sum.x * circle[m].x + sum.y * circle[m].y;
        m += s;
        if (m >= band.views) m -= band.views;
    }
    rowOf(band, s, pixel.row)[pixel.u] = slow;
}

__global__ void synthesiseColumnsKernel(const WaveletTaps taps, const WaveletScale from,
                                        bool isCoarsest, float* lines, int columns) {
    const Pixel pixel;
    if (pixel.u >= columns) return;
    const int s = static_cast<int>(blockIdx.y);
    const float* smooth = rowOf(from.smooth, s, pixel.row);
    const float* stripes = rowOf(from.stripes, s, pixel.row);
    float sum = 0;
    const int last = min(from.stripes.columns - 1, (pixel.u + kWaveletTaps - 2) / 2);
    for (int k = pixel.u / 2; k <= last; ++k) {
        const int j = 2 * k + 1 - pixel.u;
        sum += taps.low[j] * (isCoarsest ? 0.0F : smooth[k]) + taps.high(j) * stripes[k];
    }
    lines[lineAt(s, pixel, from.stripes.rows, columns)] = sum;
}

__global__ void synthesiseViewsKernel(const WaveletTaps taps, const float* lines, int views,
                                      const Sinograms to, bool isSubtracted) {
    const Pixel pixel;
    if (pixel.u >= to.columns) return;
    const int s = static_cast<int>(blockIdx.y);
    float sum = 0;
    const int last = min(views - 1, (s + kWaveletTaps - 2) / 2);
    for (int k = s / 2; k <= last; ++k)
        sum += taps.low[2 * k + 1 - s] * lines[lineAt(k, pixel, to.rows, to.columns)];
    float& value = rowOf(to, s, pixel.row)[pixel.u];
    value = isSubtracted ? value - sum : sum;
}

}  // namespace

void analyse(const WaveletTaps& taps, const Sinograms& from, const WaveletScale& to, float* lines,
             cudaStream_t stream) {
    analyseViewsKernel<<<blocksFor(from.columns, to.smooth.views, from.rows), kThreads, 0,
                         stream>>>(taps, from, lines);
    analyseColumnsKernel<<<blocksFor(to.smooth.columns, to.smooth.views, from.rows), kThreads, 0,
                           stream>>>(taps, to, lines, from.columns);
}

void keepSlow(const Sinograms& band, int count, const float2* circle, const float* gains,
              float2* sums, cudaStream_t stream) {
    slowSumsKernel<<<blocksFor(band.columns, count, band.rows), kThreads, 0, stream>>>(band, circle,
                                                                                       gains, sums);
    slowPartKernel<<<blocksFor(band.columns, band.views, band.rows), kThreads, 0, stream>>>(
        band, count, circle, sums);
}

void synthesise(const WaveletTaps& taps, const WaveletScale& from, bool isCoarsest,
                const Sinograms& to, bool isSubtracted, float* lines, cudaStream_t stream) {
    synthesiseColumnsKernel<<<blocksFor(to.columns, from.stripes.views, to.rows), kThreads, 0,
                              stream>>>(taps, from, isCoarsest, lines, to.columns);
    synthesiseViewsKernel<<<blocksFor(to.columns, to.views, to.rows), kThreads, 0, stream>>>(
        taps, lines, from.stripes.views, to, isSubtracted);
}

}  // namespace gantry::gpu
