#include <cfloat>
#include <cstdint>

#include "gpu/kernels/parts.h"
#include "gpu/kernels/steps/mirrored.h"
#include "gpu/kernels/steps/view_filters.h"

namespace gantry::gpu {

namespace {

constexpr int kWidth = 32;
constexpr int kHeight = 8;

// One thread a column, some rows after the other; z: views.
dim3 blocksFor(int columns, int rows, int views) {
    return {static_cast<unsigned>(partsOf(columns, kWidth)),
            static_cast<unsigned>(partsOf(rows, kHeight)), static_cast<unsigned>(views)};
}

struct Place {
    int u;
    int v;
    int s;
    __device__ Place()
        : u(static_cast<int>(blockIdx.x * kWidth + threadIdx.x)),
          v(static_cast<int>(blockIdx.y * kHeight + threadIdx.y)),
          s(static_cast<int>(blockIdx.z)) {}
    [[nodiscard]] __device__ std::int64_t in(int rows, int columns) const {
        return (static_cast<std::int64_t>(s) * rows + v) * columns + u;
    }
};

__global__ void zingersKernel(const ViewBlock block, float threshold, int half, const float* from,
                              float* to, const ViewCounters counters) {
    const Place place;
    if (place.u >= block.columns || place.v >= block.rows) return;
    const float* view = from + static_cast<std::int64_t>(place.s) * block.rows * block.columns;
    const int width = 2 * half + 1;
    const auto value = [&](int i) {
        const int v = mirroredIndex(place.v - half + i / width, block.rows);
        const int u = mirroredIndex(place.u - half + i % width, block.columns);
        return view[static_cast<std::int64_t>(v) * block.columns + u];
    };
    const std::int64_t at = place.in(block.rows, block.columns);
    const float own = from[at];
    int darker = 0;
    for (int i = 0; i < width * width; ++i)
        darker += value(i) - own > threshold ? 1 : 0;
    const bool isZinger = darker > width * width / 2;
    to[at] =
        isZinger
            ? fromOrderedBits(medianOf(width * width, [&](int i) { return orderedBits(value(i)); }))
            : own;
    if (!isZinger) return;
    unsigned* const found = counters.of(block.firstView + place.s, block.firstRow + place.v);
    if (found != nullptr) atomicAdd(&found[kZingerCounter], 1U);
}

__global__ void fillKernel(float* values, int count, float value) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) values[i] = value;
}

__global__ void transmissionKernel(const ViewBlock block, const PhaseImages size,
                                   const float* views, float* images, float* min) {
    const Place place;
    if (place.u >= size.columns || place.v >= size.rows) return;
    const int u = paddedIndex(place.u, block.columns, size.columns);
    const int v = paddedIndex(place.v, block.rows, size.rows);
    const float value =
        expf(-views[(static_cast<std::int64_t>(place.s) * block.rows + v) * block.columns + u]);
    images[place.in(size.rows, size.columns)] = value;
    // Positive floats are in the order of their bits.
    if (place.u < block.columns && place.v < block.rows && value < min[place.s])
        atomicMin(reinterpret_cast<int*>(&min[place.s]), __float_as_int(value));
}

__global__ void retrieveKernel(const PhaseImages size, float2* spectra) {
    const Place place;
    if (place.u >= size.frequencies() || place.v >= size.rows) return;
    const double u = place.u;
    const double v = place.v <= size.rows / 2 ? place.v : place.v - size.rows;
    const double points = static_cast<double>(size.rows) * size.columns;
    const auto gain =
        static_cast<float>(1 / ((1 + size.factorU * u * u + size.factorV * v * v) * points));
    float2& value = spectra[place.in(size.rows, size.frequencies())];
    value = {value.x * gain, value.y * gain};
}

__global__ void logarithmKernel(const ViewBlock block, const PhaseImages size, const float* images,
                                const float* min, float* views) {
    const Place place;
    if (place.u >= block.columns || place.v >= block.rows) return;
    const float value = images[place.in(size.rows, size.columns)];
    views[place.in(block.rows, block.columns)] = -logf(fmaxf(value, fmaxf(min[place.s], FLT_MIN)));
}

__global__ void resampleKernel(const Resampling task, float* out) {
    const Place place;
    if (place.u >= task.columns || place.v >= task.outRows) return;
    const double* h = task.toReal;
    const double u = place.u;
    const double v = task.outRow + place.v;
    const double depth = h[6] * u + h[7] * v + h[8];
    float value = 0;
    if (depth > 0) {
        const double realU = (h[0] * u + h[1] * v + h[2]) / depth;
        const double realV = (h[3] * u + h[4] * v + h[5]) / depth;
        if (realU > -1 && realU < task.columns && realV > -1 && realV < task.detectorRows) {
            const float* view = task.from + place.s * task.viewStride;
            const auto at = [&](int i, int j) {
                const int row = j - task.firstRow;
                return i >= 0 && i < task.columns && row >= 0 && row < task.rows
                           ? view[static_cast<std::int64_t>(row) * task.columns + i]
                           : 0.0F;
            };
            const int i = static_cast<int>(floor(realU));
            const int j = static_cast<int>(floor(realV));
            const auto fu = static_cast<float>(realU - i);
            const auto fv = static_cast<float>(realV - j);
            const float lower = at(i, j) + fu * (at(i + 1, j) - at(i, j));
            const float upper = at(i, j + 1) + fu * (at(i + 1, j + 1) - at(i, j + 1));
            value = lower + fv * (upper - lower);
        }
    }
    out[place.in(task.outRows, task.columns)] = value;
}

constexpr dim3 kThreads = {kWidth, kHeight};

}  // namespace

void removeZingers(const ViewBlock& block, float threshold, int half, const float* from, float* to,
                   const ViewCounters& counters, cudaStream_t stream) {
    zingersKernel<<<blocksFor(block.columns, block.rows, block.views), kThreads, 0, stream>>>(
        block, threshold, half, from, to, counters);
}

void toTransmission(const ViewBlock& block, const PhaseImages& size, const float* views,
                    float* images, float* min, cudaStream_t stream) {
    constexpr int kFillThreads = 256;
    fillKernel<<<partsOf(block.views, kFillThreads), kFillThreads, 0, stream>>>(min, block.views,
                                                                                FLT_MAX);
    transmissionKernel<<<blocksFor(size.columns, size.rows, block.views), kThreads, 0, stream>>>(
        block, size, views, images, min);
}

void resample(const Resampling& task, float* out, cudaStream_t stream) {
    resampleKernel<<<blocksFor(task.columns, task.outRows, task.views), kThreads, 0, stream>>>(task,
                                                                                               out);
}

void retrievePhase(int views, const PhaseImages& size, float2* spectra, cudaStream_t stream) {
    retrieveKernel<<<blocksFor(size.frequencies(), size.rows, views), kThreads, 0, stream>>>(
        size, spectra);
}

void fromTransmission(const ViewBlock& block, const PhaseImages& size, const float* images,
                      const float* min, float* views, cudaStream_t stream) {
    logarithmKernel<<<blocksFor(block.columns, block.rows, block.views), kThreads, 0, stream>>>(
        block, size, images, min, views);
}

}  // namespace gantry::gpu
