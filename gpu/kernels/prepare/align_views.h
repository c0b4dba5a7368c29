#pragma once

#include <cuda_runtime_api.h>

namespace gantry::gpu {

/// How line integrals are resampled from a real detector to the aligned one that stands for it, as
/// in core/prep/rectify.h, with columns of zeros on both sides.
struct AlignTask {
    int rows = 0;
    int columns = 0;    ///< of the real detector
    int padBefore = 0;  ///< columns of zeros before them
    int padded = 0;     ///< columns with the zeros on both sides
    /// Pixel (u, v, 1) of the aligned detector, without padding, to pixels of the real one.
    double toReal[3][3] = {};
};

/// views: [s][v][u]; out: [s][v][u], padded. On the stream.
void alignViews(const AlignTask& task, const float* views, int nS, float* out, cudaStream_t stream);

}  // namespace gantry::gpu
