#include "gpu/kernels/prepare/stored_rows.cuh"
#include "gpu/kernels/steps/integrals.h"

namespace gantry::gpu {

namespace {

constexpr int kThreads = 256;

// One block makes one row. Threads take pixels in turn, as in prepareKernel().
template <class Pixel, Preparation preparation>
__global__ void __launch_bounds__(kThreads)
    integralsKernel(const IntegralsTask task, float* integrals) {
    extern __shared__ std::uint32_t good[];
    __shared__ unsigned found[kInvalidKinds];
    if (threadIdx.x < kInvalidKinds) found[threadIdx.x] = 0;
    __syncthreads();

    const int s = static_cast<int>(blockIdx.x) / task.rows;
    const int v = static_cast<int>(blockIdx.x) % task.rows;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * task.columns;
    const std::int64_t inDetector = static_cast<std::int64_t>(task.firstRow + v) * task.columns;
    StoredRow<Pixel, preparation> row;
    row.pixels = static_cast<const Pixel*>(task.pixels) + first;
    if (preparation == Preparation::counts) row.dark = task.dark + inDetector;
    if (task.netSignal != nullptr) row.netSignal = task.netSignal + inDetector;
    row.saturation = task.saturation;
    row.setBeam(beamOf(task.offsets, task.firstView + s), task.firstRow + v);

    float* const out = integrals + first;
    unsigned* const counters = task.counters.of(task.firstView + s, task.firstRow + v);
    bool isAnyInvalid = false;
    for (int u = threadIdx.x; u < 32 * wordsOf(task.columns); u += kThreads) {
        const bool isInside = u < task.columns;
        JudgedPixel pixel;
        if (isInside) pixel = row.judge(u);
        const bool isGood = isInside && pixel.isUsable;
        const unsigned usable = __ballot_sync(0xFFFFFFFFU, isGood);
        if (u % 32 == 0) good[u / 32] = usable;
        if (isGood) out[u] = pixel.value;
        if (pixel.invalid == InvalidKind::none) continue;
        isAnyInvalid = true;
        if (counters != nullptr) atomicAdd(&found[static_cast<int>(pixel.invalid)], 1U);
    }
    if (!__syncthreads_or(isAnyInvalid)) return;
    if (threadIdx.x < kInvalidKinds && found[threadIdx.x] != 0)
        atomicAdd(&counters[threadIdx.x], found[threadIdx.x]);
    repairRow<kThreads>(row, task.columns, good, [&](int u, float value) { out[u] = value; });
}

template <Preparation preparation>
void launch(const IntegralsTask& task, float* out, cudaStream_t stream) {
    const std::size_t sharedBytes = sizeof(std::uint32_t) * wordsOf(task.columns);
    withPixelType(task.type, [&](auto pixel) {
        integralsKernel<decltype(pixel), preparation>
            <<<task.views * task.rows, kThreads, sharedBytes, stream>>>(task, out);
    });
}

}  // namespace

void toIntegrals(const IntegralsTask& task, float* out, cudaStream_t stream) {
    if (task.preparation == Preparation::counts)
        launch<Preparation::counts>(task, out, stream);
    else
        launch<Preparation::attenuation>(task, out, stream);
}

}  // namespace gantry::gpu
