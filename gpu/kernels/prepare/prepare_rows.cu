#include "gpu/kernels/prepare/prepare_rows.h"

#include <algorithm>
#include <cstdint>

#include "gpu/kernels/parts.h"
#include "gpu/kernels/prepare/stored_rows.cuh"

namespace gantry::gpu {

namespace {

constexpr int kThreads = 256;
constexpr unsigned kAllLanes = 0xFFFFFFFFU;
constexpr int kEdgeColumns = 12;  // as in core/filter/row_extension.h

// One row of a batch, and its FDK weights.
template <class Pixel, Preparation preparation>
struct BatchRow {
    StoredRow<Pixel, preparation> stored;
    const float* viewScale;
    const float* squareU;
    float squareV;
    bool isCounted;

    __device__ BatchRow(const PrepareTask& task, std::int64_t s, int v)
        : viewScale(task.viewScale + (task.firstView + s) * task.viewScaleStride),
          squareU(task.squareU + (task.firstView + s) * task.squareUStride),
          squareV(task.squareV[(task.firstView + s) * task.squareVStride + task.firstRow + v]),
          isCounted(task.firstRow + v >= task.countFrom && task.firstRow + v < task.countEnd) {
        const std::int64_t inDetector =
            static_cast<std::int64_t>(task.firstRow + v) * task.storedColumns;
        stored.pixels =
            static_cast<const Pixel*>(task.pixels) + (s * task.nV + v) * task.storedColumns;
        if (preparation == Preparation::counts) stored.dark = task.dark + inDetector;
        if (task.netSignal != nullptr) stored.netSignal = task.netSignal + inDetector;
        stored.saturation = task.saturation;
        stored.setBeam(beamOf(task.offsets, task.firstView + s), task.firstRow + v);
    }

    __device__ float weight(int u) const { return fdkWeight(viewScale[u], squareU[u], squareV); }
};

__device__ float sumOfWarp(float value) {
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(kAllLanes, value, offset);
    return value;
}

// The row at one of its edges, in the first lane of a warp. good: bits of the pixels that have line
// integrals of their own; null where all have.
template <class Row>
__device__ RowEdge edgeOfRow(const Row& row, const PrepareTask& task, const std::uint32_t* good,
                             bool isOpaque, bool isEnd) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    const int n = min(kEdgeColumns, task.measuredColumns);
    float value = 0;
    if (lane < n) {
        const int u =
            task.firstMeasured - task.padBefore + (isEnd ? task.measuredColumns - 1 - lane : lane);
        const bool isOwn = good == nullptr || (!isOpaque && (good[u / 32] >> (u % 32) & 1U) != 0);
        value = isOwn ? row.stored.judge(u).value
                      : filledValue(row.stored, good, wordsOf(task.storedColumns), u, isOpaque);
    }
    const float place = static_cast<float>(lane) - static_cast<float>(n - 1) / 2;
    const float square = value * fabsf(value);
    return edgeOf(sumOfWarp(square), sumOfWarp(place * square), n);
}

// Writes what is estimated beyond the edges of a pair of rows. Called by all threads of the block.
template <class Row>
__device__ void extendRows(const Row (&rows)[2], const PrepareTask& task, const std::uint32_t* good,
                           const bool (&isOpaque)[2], bool isPaired, float2* out) {
    __shared__ RowEdge edges[2][2];  // [row][isEnd]
    const int warp = static_cast<int>(threadIdx.x / 32);
    if (warp < 4) {
        const int r = warp / 2;
        const std::uint32_t* ofRow =
            good == nullptr ? nullptr : good + r * wordsOf(task.storedColumns);
        const RowEdge edge = edgeOfRow(rows[r], task, ofRow, isOpaque[r], warp % 2 != 0);
        if (threadIdx.x % 32 == 0) edges[r][warp % 2] = edge;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < task.extendBefore + task.extendAfter; i += kThreads) {
        const bool isEnd = i >= task.extendBefore;
        const int k = 1 + (isEnd ? i - task.extendBefore : i);
        const int columns = isEnd ? task.extendAfter : task.extendBefore;
        const int u = task.firstMeasured + (isEnd ? task.measuredColumns - 1 + k : -k);
        float values[2];
        for (int r = 0; r < 2; ++r)
            values[r] = beyondEdge(edges[r][isEnd], task.perColumn, columns, k) * rows[r].weight(u);
        out[u < 0 ? task.length + u : u] = {values[0], isPaired ? values[1] : 0.0F};
    }
}

// One block makes one complex row. Threads take pixels in turn, so that reads and writes are
// contiguous and a row needs only one bit a pixel in shared memory: the few invalid pixels read
// their neighbours from the stored row once more.
template <class Pixel, Preparation preparation>
__global__ void __launch_bounds__(kThreads)
    prepareKernel(const PrepareTask task, std::int64_t firstPair, float2* pairs) {
    using Row = BatchRow<Pixel, preparation>;
    extern __shared__ std::uint32_t good[];
    __shared__ unsigned found[kInvalidKinds];
    if (threadIdx.x < kInvalidKinds) found[threadIdx.x] = 0;
    __syncthreads();

    const std::int64_t pair = firstPair + blockIdx.x;
    const int pairsPerView = (task.nV + 1) / 2;
    const std::int64_t s = pair / pairsPerView;
    const int v = 2 * static_cast<int>(pair - s * pairsPerView);
    const bool isPaired = v + 1 < task.nV;
    // A row without a partner is read twice but written and counted once.
    const Row rows[2] = {{task, s, v}, {task, s, isPaired ? v + 1 : v}};
    float2* out = pairs + static_cast<std::int64_t>(blockIdx.x) * task.length;
    const int words = wordsOf(task.storedColumns);

    bool isAnyInvalid = false;
    for (int u = threadIdx.x; u < 32 * words; u += kThreads) {
        const bool isInside = u < task.storedColumns;
        float values[2] = {0, 0};
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            JudgedPixel pixel;
            if (isInside) pixel = rows[r].stored.judge(u);
            const bool isGood = isInside && pixel.isUsable;
            if (isGood) values[r] = pixel.value * rows[r].weight(u + task.padBefore);
            if (preparation == Preparation::none) continue;
            const unsigned usable = __ballot_sync(kAllLanes, isGood);
            if (u % 32 == 0) good[r * words + u / 32] = usable;
            if (pixel.invalid == InvalidKind::none) continue;
            isAnyInvalid = true;
            if (rows[r].isCounted && (r == 0 || isPaired))
                atomicAdd(&found[static_cast<int>(pixel.invalid)], 1U);
        }
        if (isInside) out[u + task.padBefore] = {values[0], isPaired ? values[1] : 0.0F};
    }
    for (int i = threadIdx.x; i < task.length - task.storedColumns; i += kThreads)
        out[i < task.padBefore ? i : i + task.storedColumns] = {0, 0};

    bool isOpaque[2] = {false, false};
    if (preparation != Preparation::none && __syncthreads_or(isAnyInvalid)) {
        if (threadIdx.x < kInvalidKinds && found[threadIdx.x] != 0)
            atomicAdd(&task.invalid[threadIdx.x],
                      static_cast<unsigned long long>(found[threadIdx.x]));
        for (int r = 0; r < (isPaired ? 2 : 1); ++r) {
            const Row row(task, s, v + r);
            float* const put = &out->x + r;
            isOpaque[r] = repairRow<kThreads>(row.stored, task.storedColumns, good + r * words,
                                              [&](int u, float value) {
                                                  const int at = u + task.padBefore;
                                                  put[2 * at] = value * row.weight(at);
                                              });
        }
    }
    if (task.extendBefore + task.extendAfter == 0) return;
    __syncthreads();  // the zeros are written, and the bits of good pixels
    extendRows(rows, task, preparation == Preparation::none ? nullptr : good, isOpaque, isPaired,
               out);
}

template <class Pixel, Preparation preparation>
void launch(const PrepareTask& task, std::int64_t firstPair, int pairs, float2* out,
            cudaStream_t stream) {
    const std::size_t sharedBytes = 2 * sizeof(std::uint32_t) * wordsOf(task.storedColumns);
    prepareKernel<Pixel, preparation>
        <<<pairs, kThreads, sharedBytes, stream>>>(task, firstPair, out);
}

template <Preparation preparation>
void launchForType(const PrepareTask& task, std::int64_t firstPair, int pairs, float2* out,
                   cudaStream_t stream) {
    withPixelType(task.type, [&](auto pixel) {
        launch<decltype(pixel), preparation>(task, firstPair, pairs, out, stream);
    });
}

}  // namespace

void prepareRows(const PrepareTask& task, std::int64_t firstPair, int pairs, float2* out,
                 cudaStream_t stream) {
    switch (task.preparation) {
        case Preparation::none:
            return launch<float, Preparation::none>(task, firstPair, pairs, out, stream);
        case Preparation::attenuation:
            return launchForType<Preparation::attenuation>(task, firstPair, pairs, out, stream);
        case Preparation::counts:
            return launchForType<Preparation::counts>(task, firstPair, pairs, out, stream);
    }
}

namespace {

constexpr int kRowsABlock = 8;  // rows share the response that a thread holds

// Each thread takes two frequencies.
__global__ void __launch_bounds__(kThreads)
    multiplyKernel(float4* spectra, int rows, int halfLength, const float2* response) {
    const int k = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
    if (k >= halfLength) return;
    const float2 gain = response[k];
    for (int row = static_cast<int>(blockIdx.y); row < rows; row += static_cast<int>(gridDim.y)) {
        float4& pair = spectra[static_cast<std::int64_t>(row) * halfLength + k];
        const float4 value = pair;
        pair = {value.x * gain.x, value.y * gain.x, value.z * gain.y, value.w * gain.y};
    }
}

}  // namespace

void multiplySpectra(float2* spectra, int rows, int length, const float* response,
                     cudaStream_t stream) {
    constexpr int kMaxBlocksDown = 65535;
    const int halfLength = length / 2;
    const dim3 blocks(partsOf(halfLength, kThreads),
                      std::min(partsOf(rows, kRowsABlock), kMaxBlocksDown));
    multiplyKernel<<<blocks, kThreads, 0, stream>>>(reinterpret_cast<float4*>(spectra), rows,
                                                    halfLength,
                                                    reinterpret_cast<const float2*>(response));
}

}  // namespace gantry::gpu
