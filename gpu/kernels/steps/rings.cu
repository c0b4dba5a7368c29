#include <cub/block/block_radix_sort.cuh>

#include "gpu/kernels/parts.h"
#include "gpu/kernels/steps/mirrored.h"
#include "gpu/kernels/steps/rings.h"

namespace gantry::gpu {

namespace {

constexpr int kThreads = 256;

// One block sorts the values of one pixel in all views. Radix sort keeps the order of equal values.
template <int kItems>
__global__ void __launch_bounds__(kThreads)
    sortKernel(const Sinograms sinograms, std::uint32_t* sorted, std::uint16_t* order) {
    using Sort = cub::BlockRadixSort<std::uint32_t, kThreads, kItems, std::uint16_t>;
    __shared__ typename Sort::TempStorage storage;
    const int u = static_cast<int>(blockIdx.x);
    const int row = static_cast<int>(blockIdx.y);
    const float* column = sinograms.data + static_cast<std::int64_t>(row) * sinograms.columns + u;
    std::uint32_t keys[kItems];
    std::uint16_t views[kItems];
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
        const int s = static_cast<int>(threadIdx.x) * kItems + i;
        views[i] = static_cast<std::uint16_t>(s);
        // No finite value has the bits of those that fill up the block.
        keys[i] = s < sinograms.views ? orderedBits(column[s * sinograms.viewStride]) : 0xFFFFFFFFU;
    }
    Sort(storage).Sort(keys, views);
    const std::int64_t first =
        static_cast<std::int64_t>(row) * sinograms.views * sinograms.columns + u;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
        const int rank = static_cast<int>(threadIdx.x) * kItems + i;
        if (rank >= sinograms.views) continue;
        const std::int64_t at = first + static_cast<std::int64_t>(rank) * sinograms.columns;
        sorted[at] = keys[i];
        order[at] = views[i];
    }
}

// One block takes a stretch of one rank's values along u.
__global__ void __launch_bounds__(kThreads)
    medianKernel(const Sinograms sinograms, int width, const std::uint32_t* sorted,
                 const std::uint16_t* order) {
    extern __shared__ std::uint32_t window[];
    const int firstU = static_cast<int>(blockIdx.x) * kThreads;
    const int row = static_cast<int>(blockIdx.z);
    const std::int64_t first =
        (static_cast<std::int64_t>(row) * sinograms.views + blockIdx.y) * sinograms.columns;
    for (int i = threadIdx.x; i < kThreads + width - 1; i += kThreads)
        window[i] = sorted[first + mirroredIndex(firstU - width / 2 + i, sinograms.columns)];
    __syncthreads();
    const int u = firstU + static_cast<int>(threadIdx.x);
    if (u >= sinograms.columns) return;
    const std::uint32_t* own = window + threadIdx.x;
    const std::uint32_t median = medianOf(width, [&](int i) { return own[i]; });
    sinograms.data[order[first + u] * sinograms.viewStride +
                   static_cast<std::int64_t>(row) * sinograms.columns + u] =
        fromOrderedBits(median);
}

template <int kItems>
void sortColumns(const Sinograms& sinograms, std::uint32_t* sorted, std::uint16_t* order,
                 cudaStream_t stream) {
    const dim3 blocks(sinograms.columns, sinograms.rows);
    sortKernel<kItems><<<blocks, kThreads, 0, stream>>>(sinograms, sorted, order);
}

__global__ void __launch_bounds__(kThreads) meanKernel(const Sinograms sinograms, double* mean) {
    const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
    if (i >= sinograms.rows * sinograms.columns) return;
    double sum = 0;
    for (int s = 0; s < sinograms.views; ++s)
        sum += static_cast<double>(sinograms.data[s * sinograms.viewStride + i]);
    mean[i] = sum / sinograms.views;
}

__global__ void __launch_bounds__(kThreads)
    subtractKernel(const Sinograms sinograms, int width, const double* mean) {
    const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
    if (i >= sinograms.rows * sinograms.columns) return;
    const int u = i % sinograms.columns;
    const double* ofRow = mean + (i - u);
    double sum = 0;
    for (int k = -width / 2; k <= width / 2; ++k)
        sum += ofRow[mirroredIndex(u + k, sinograms.columns)];
    const auto stripe = static_cast<float>(mean[i] - sum / width);
    for (int s = 0; s < sinograms.views; ++s)
        sinograms.data[s * sinograms.viewStride + i] -= stripe;
}

}  // namespace

void removeRingsBySorting(const Sinograms& sinograms, int width, std::uint32_t* sorted,
                          std::uint16_t* order, cudaStream_t stream) {
    if (sinograms.views <= 2 * kThreads)
        sortColumns<2>(sinograms, sorted, order, stream);
    else if (sinograms.views <= 4 * kThreads)
        sortColumns<4>(sinograms, sorted, order, stream);
    else if (sinograms.views <= 8 * kThreads)
        sortColumns<8>(sinograms, sorted, order, stream);
    else if (sinograms.views <= 16 * kThreads)
        sortColumns<16>(sinograms, sorted, order, stream);
    else
        sortColumns<32>(sinograms, sorted, order, stream);
    const dim3 blocks(partsOf(sinograms.columns, kThreads), sinograms.views, sinograms.rows);
    const std::size_t sharedBytes = sizeof(std::uint32_t) * (kThreads + width - 1);
    medianKernel<<<blocks, kThreads, sharedBytes, stream>>>(sinograms, width, sorted, order);
}

void removeSmoothedMean(const Sinograms& sinograms, int width, double* mean, cudaStream_t stream) {
    const int blocks = partsOf(sinograms.rows * sinograms.columns, kThreads);
    meanKernel<<<blocks, kThreads, 0, stream>>>(sinograms, mean);
    subtractKernel<<<blocks, kThreads, 0, stream>>>(sinograms, width, mean);
}

}  // namespace gantry::gpu
