#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "core/base/types.h"
#include "core/engine/device_engine.h"
#include "core/prep/line_integrals.h"
#include "gpu/device/device_buffer.h"
#include "gpu/device/stream.h"
#include "gpu/engine/cufft_library.h"
#include "gpu/engine/detector_images.h"
#include "gpu/kernels/prepare/filtered_views.h"
#include "gpu/kernels/prepare/prepare_rows.h"

namespace gantry {

/// The invalid pixels that a filter found, in host memory that its device writes.
struct PinnedInvalidPixels {
    PinnedInvalidPixels();  ///< none

    /// Valid once the stream has passed what enqueueInvalid() enqueued.
    [[nodiscard]] InvalidPixels counts() const;

    PinnedBuffer<unsigned long long> found;  ///< [gpu::InvalidKind]
    Index pixels = 0;                        ///< that were checked
};

/// The sizes in which a job's batches are worked on. Chunks have equal size, so that one FFT plan
/// serves batches of any size and a chunk stays in the device's cache from step to step.
struct FilterLayout {
    Index columns;          ///< padded
    Index weightedColumns;  ///< with those that are estimated beyond the detector's edges
    Index length;           ///< of a complex row
    Index chunk;            ///< row pairs
    Index chunks;           ///< that the largest batch takes

    explicit FilterLayout(const DeviceJob& job);

    // One chunk more: the second block of rows may begin within a chunk, so its last chunk ends
    // later.
    [[nodiscard]] Index points() const { return (chunks + 1) * chunk * length; }
};

/// Prepares and filters views for FDK on the device, with the CPU's results: stored counts to line
/// integrals (replacing invalid pixels and padding an offset detector), weights, and the windowed
/// ramp by cuFFT with two rows packed into one complex transform. Everything is enqueued on one
/// stream. Not thread-safe. Tests: tests/gpu/engine/gpu_filter_test.cpp
class GpuFilter {
  public:
    /// On the current device. @throws ResourceError
    explicit GpuFilter(const DeviceJob& job);

    /// Prepares and filters a batch in the state in which the job hands it over.
    /// batch: device memory; stored pixels of the source's type and columns, or line integrals as
    /// floats of the padded columns, by job.handedOver (stored or prepared); a block [s][v][u] for
    /// each range of rows
    /// rows: detector rows of the batch; counted: of these, rows that enter the invalid-pixel count
    /// @returns filtered views in memory of this object, valid until the next call
    gpu::FilteredViews apply(const std::byte* batch, IndexRange views, const IndexRanges& rows,
                             IndexRange counted, cudaStream_t stream);

    /// Enqueues a copy of the invalid pixels found since the last call; `to` must live until it is
    /// done.
    void enqueueInvalid(PinnedInvalidPixels& to, cudaStream_t stream);

  private:
    gpu::FilteredViews filterBlock(const std::byte* pixels, IndexRange views, IndexRange rows,
                                   IndexRange counted, Index toPair, cudaStream_t stream);
    void filterChunk(const gpu::PrepareTask& task, Index first, Index pairs, Index toPair,
                     cudaStream_t stream);
    void clearInvalid(cudaStream_t stream);
    void uploadWeights(const Acquisition& acquisition, const Stream& stream);
    void uploadResponse(const AlignedDetector& detector, const FilterSpec& filter,
                        const Stream& stream);

    FilterLayout m_layout;
    RowTransforms m_transforms;
    DeviceBuffer<float2> m_pairs;  ///< [pair][length]: row 2q real, row 2q + 1 imaginary
    DetectorImages m_images;
    DeviceBuffer<float> m_viewScale;
    DeviceBuffer<float> m_squareU;
    DeviceBuffer<float> m_squareV;
    DeviceBuffer<float> m_response;
    DeviceBuffer<unsigned long long> m_invalid;
    gpu::PrepareTask m_task;  ///< without the fields that change from batch to batch
    Index m_views;            ///< of the scan
    Index m_batchViews;
    Index m_maxRows;
    Index m_rows;        ///< of the detector
    Index m_pixelBytes;  ///< a pixel's bytes as handed over
    Index m_pixels = 0;  ///< counted since counts were last asked for
};

/// Why cuFFT cannot be loaded on this machine or does not work with the current device (if there is
/// one), in one sentence; empty where it works.
[[nodiscard]] std::string whyNoCufft();

/// Device memory that it takes, bytes.
[[nodiscard]] Index gpuFilterBytes(const DeviceJob& job);

}  // namespace gantry
