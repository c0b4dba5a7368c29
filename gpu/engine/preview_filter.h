#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "core/engine/acquisition.h"
#include "core/filter/filter_spec.h"
#include "gpu/device/device_buffer.h"
#include "gpu/engine/gpu_filter.h"
#include "gpu/kernels/prepare/align_views.h"

namespace gantry {

/// Keeps line integrals in the current device's memory and filters them whenever settings change.
/// Not thread-safe. Tests: tests/gpu/engine/plane_preview_test.cpp
class PreviewFilter {
  public:
    static constexpr Index kBatchViews = 16;  ///< at most, in one apply()

    /// views: [s][v][u]; read by the stream until it is synchronised
    /// @throws ResourceError
    PreviewFilter(Span3<const float> views, cudaStream_t stream);

    /// @throws ResourceError; InputError where the cut-off is out of range
    void set(std::shared_ptr<const Acquisition> acquisition, const FilterSpec& filter);
    /// Filters those views; the result lies in memory of this object, valid until the next call.
    [[nodiscard]] gpu::FilteredViews apply(IndexRange views, cudaStream_t stream);

    [[nodiscard]] Index views() const { return m_views; }
    [[nodiscard]] Index rows() const { return m_rows; }

  private:
    Index m_views;
    Index m_rows;
    Index m_columns;
    DeviceBuffer<float> m_lineIntegrals;  // [s][v][u]
    std::shared_ptr<const Acquisition> m_acquisition;
    std::unique_ptr<GpuFilter> m_filter;
    gpu::AlignTask m_align;
    bool m_isAligned = false;       // needs no resampling and no padding
    DeviceBuffer<float> m_aligned;  // of a batch
};

}  // namespace gantry
