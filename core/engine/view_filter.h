#pragma once

#include <stop_token>

#include "core/base/span3.h"
#include "core/base/types.h"
#include "core/engine/device_engine.h"
#include "core/prep/line_integrals.h"

namespace gantry {

/// Prepares and filters views on a device and returns them, where other processes need them too.
/// One thread uses it, while others may use the device's engine. Spans of the device's work go to
/// the sink on one timeline lane, on the host's clock. Tests: tests/core/recon/grid_run_test.cpp,
/// tests/gpu/engine/gpu_view_filter_test.cpp
class ViewFilter {
  public:
    virtual ~ViewFilter() = default;

    /// batch: in the state that the job names, stored or prepared; one range of rows. Its memory is
    ///        pinned where the backend can do so
    /// counted: stored rows of the batch whose invalid pixels count
    /// out: filtered views; [s][v][u], u fastest, the columns of DeviceJob::acquisition->geometry;
    ///      in host memory, pinned where possible; prepared views may be filtered in place
    /// @returns the invalid pixels found in stored views; returns when `out` holds the views
    /// @throws Cancelled, ResourceError
    virtual InvalidPixels apply(const DeviceBatch& batch, IndexRange counted, Span3<float> out,
                                const std::stop_token& stop) = 0;
};

}  // namespace gantry
