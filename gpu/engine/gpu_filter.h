#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <string>

#include "core/base/types.h"
#include "core/engine/device_engine.h"
#include "core/prep/line_integrals.h"
#include "gpu/device/device_buffer.h"
#include "gpu/kernels/prepare/filtered_views.h"

namespace gantry {

/// The invalid pixels that a filter found, in host memory that its device writes.
struct PinnedInvalidPixels {
    PinnedInvalidPixels();  ///< none

    /// Valid once the stream has passed what enqueueInvalid() enqueued.
    [[nodiscard]] InvalidPixels counts() const;

    PinnedBuffer<unsigned long long> found;  ///< [gpu::InvalidKind]
    Index pixels = 0;                        ///< that were checked
};

/// Prepares and filters views for FDK on the device, with the CPU's results: stored counts to line
/// integrals (replacing invalid pixels and padding an offset detector), weights, and the windowed
/// ramp by cuFFT with two rows packed into one complex transform. Everything is enqueued on one
/// stream. Not thread-safe. Tests: tests/gpu/engine/gpu_filter_test.cpp
class GpuFilter {
  public:
    virtual ~GpuFilter() = default;

    /// Prepares and filters a batch in the state in which the job hands it over.
    /// batch: device memory; stored pixels of the source's type and columns, or line integrals as
    /// floats of the padded columns, by job.handedOver (stored or prepared); a block [s][v][u] for
    /// each range of rows
    /// rows: detector rows of the batch; counted: of these, rows that enter the invalid-pixel count
    /// @returns filtered views in memory of this object, valid until the next call
    virtual gpu::FilteredViews apply(const std::byte* batch, IndexRange views,
                                     const IndexRanges& rows, IndexRange counted,
                                     cudaStream_t stream) = 0;

    /// Enqueues a copy of the invalid pixels found since the last call; `to` must live until it is
    /// done.
    virtual void enqueueInvalid(PinnedInvalidPixels& to, cudaStream_t stream) = 0;
};

/// Why cuFFT cannot be loaded on this machine or does not work with the current device (if there is
/// one), in one sentence; empty where it works.
[[nodiscard]] std::string whyNoCufft();

/// Device memory that it takes, bytes.
[[nodiscard]] Index gpuFilterBytes(const DeviceJob& job);

/// Makes the filter on the current device. @throws ResourceError
[[nodiscard]] std::unique_ptr<GpuFilter> makeGpuFilter(const DeviceJob& job);

}  // namespace gantry
