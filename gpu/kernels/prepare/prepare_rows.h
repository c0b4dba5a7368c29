#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "gpu/kernels/prepare/prepare_math.h"

namespace gantry::gpu {

/// How a file stores a pixel.
enum class StoredType { uint8, int8, uint16, int16, uint32, int32, float32, float64 };

/// A batch of views to be prepared as weighted rows, two in one complex row. All memory is on the
/// device; images of the detector are whole, batches have some of its rows.
struct PrepareTask {
    const void* pixels = nullptr;  ///< [s][v][u] of the batch, aligned to their type
    StoredType type = StoredType::float32;
    Preparation preparation = Preparation::none;  ///< `none` takes floats only
    int nV = 0;                                   ///< rows of the batch
    int storedColumns = 0;
    int padBefore = 0;  ///< columns that are added before the stored ones
    int columns = 0;    ///< with those added on both sides
    int length = 0;     ///< of a complex row; zeros from `columns` on, but for extended rows
    int firstView = 0;  ///< of the scan
    int firstRow = 0;   ///< of the detector
    int countFrom = 0;  ///< first detector row that is counted in `invalid`
    int countEnd = 0;   ///< end of the rows that are counted

    const float* dark = nullptr;  ///< [v][u] of the detector; see StoredRow
    const float* netSignal = nullptr;
    float saturation = 0;  ///< counts

    /// [s][3] of the scan: what is added to a view's line integrals, see beamOf(); null: nothing
    const float* offsets = nullptr;

    /// RowExtension: columns that are estimated beyond the edges of the `measuredColumns` from
    /// column `firstMeasured` on. Those before column 0 are at the end of the complex row, where a
    /// convolution takes them from.
    int firstMeasured = 0;
    int measuredColumns = 0;
    int extendBefore = 0;
    int extendAfter = 0;
    float perColumn = 0;

    const float* viewScale = nullptr;  ///< [s][u] of the scan, padded columns, at the first of them
    const float* squareU = nullptr;    ///< [s][u] of the scan, padded columns, or [u]
    const float* squareV = nullptr;    ///< [s][v] of the scan and its detector, or [v]
    int viewScaleStride = 0;           ///< from one view to the next
    int squareUStride = 0;             ///< the same; 0: all views share them
    int squareVStride = 0;

    unsigned long long* invalid = nullptr;  ///< [kInvalidKinds]; counts are added to it
};

/// Writes row pairs [firstPair, firstPair + pairs) of the batch: pair p is rows 2q and 2q + 1 of
/// view s, p = s·⌈nV/2⌉ + q, the former as real and the latter as imaginary parts. An odd last row
/// has zeros beside it. out: [pair][length], from the first of these pairs on.
void prepareRows(const PrepareTask& task, std::int64_t firstPair, int pairs, float2* out,
                 cudaStream_t stream);

/// Multiplies every row's spectrum with a real response, in place.
/// spectra: [row][frequency] of an even length; response: [frequency]
void multiplySpectra(float2* spectra, int rows, int length, const float* response,
                     cudaStream_t stream);

}  // namespace gantry::gpu
