#include "gpu/kernels/parts.h"
#include "gpu/kernels/steps/lag.h"

namespace gantry::gpu {

namespace {

// A thread follows one pixel through all views; threads beside each other read pixels beside each
// other.
__global__ void removeLagKernel(Sinograms sinograms, Lag lag) {
    const int pixel = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (pixel >= sinograms.rows * sinograms.columns) return;
    float* p = sinograms.data + pixel;
    float left = lag.share * expf(-*p);
    for (int s = 0; s < sinograms.views; ++s, p += sinograms.viewStride) {
        const float measured = expf(-*p);
        const float kept = fmaxf((1.0F - left / measured) * lag.gain, lag.minPart);
        left = lag.added * kept * measured + lag.decay * left;
        *p -= logf(kept);
    }
}

}  // namespace

void removeLag(const Sinograms& sinograms, const Lag& lag, cudaStream_t stream) {
    constexpr int kThreads = 128;
    const int blocks = partsOf(sinograms.rows * sinograms.columns, kThreads);
    removeLagKernel<<<blocks, kThreads, 0, stream>>>(sinograms, lag);
}

}  // namespace gantry::gpu
