#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "gpu/kernels/steps/integrals.h"

namespace gantry::gpu {

/// Views of line integrals on the device, [s][v][u].
struct ViewBlock {
    int views = 0;
    int rows = 0;
    int columns = 0;
    int firstView = 0;  ///< of the scan
    int firstRow = 0;   ///< of the detector
};

/// Copies views, replacing zingers as ZingerRemover of core/prep does, by the same comparisons.
/// threshold: of line integrals; half: the square is 2·half + 1 wide
/// counters: those of zingers grow by the replaced pixels
void removeZingers(const ViewBlock& block, float threshold, int half, const float* from, float* to,
                   const ViewCounters& counters, cudaStream_t stream);

/// Phase retrieval in frequency: views with mirrored ends in images of another size, as
/// PhaseRetriever of core/prep has them.
struct PhaseImages {
    int rows = 0;     ///< of an image
    int columns = 0;  ///< of an image
    double factorU = 0;  ///< π·λ·z·(δ/β)·f² of frequency 1 along u; others: times their square
    double factorV = 0;

    [[nodiscard]] __host__ __device__ int frequencies() const { return columns / 2 + 1; }
};

/// images: transmissions exp(−p) of each view with mirrored ends, [s][row][column]; min: [s] the
/// smallest of each view
void toTransmission(const ViewBlock& block, const PhaseImages& size, const float* views,
                    float* images, float* min, cudaStream_t stream);
/// spectra: [s][row][frequency], of transforms without a scale; they are divided by the points
void retrievePhase(int views, const PhaseImages& size, float2* spectra, cudaStream_t stream);
/// views: −ln of the images where the views are, not below `min`
void fromTransmission(const ViewBlock& block, const PhaseImages& size, const float* images,
                      const float* min, float* views, cudaStream_t stream);

/// Views of a rolled or tilted detector that are resampled onto an upright one; see Rectifier of
/// core/prep.
struct Resampling {
    const float* from = nullptr;  ///< [s][v][u], rows from firstRow on
    std::int64_t viewStride = 0;
    int views = 0;
    int columns = 0;
    int firstRow = 0;  ///< of the real detector
    int rows = 0;
    int detectorRows = 0;
    int outRow = 0;  ///< of the upright one
    int outRows = 0;
    double toReal[9] = {};  ///< map from pixels of the upright detector to those of the real one
};

/// out: [s][v][u]
void resample(const Resampling& task, float* out, cudaStream_t stream);

}  // namespace gantry::gpu
