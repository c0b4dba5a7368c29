#pragma once

#include <stop_token>

#include "core/base/span3.h"
#include "core/base/types.h"
#include "core/engine/device_engine.h"
#include "core/prep/line_integrals.h"

namespace gantry {

/// Prepares and filters views on a device and hands them back, for views that other processes need,
/// too. One thread uses it, while others may use the device's engine. Spans of what the device did
/// go to the sink on one timeline lane, on the host's clock.
/// Tests: tests/core/recon/grid_run_test.cpp, tests/gpu/engine/gpu_view_filter_test.cpp
class ViewFilter {
  public:
    virtual ~ViewFilter() = default;

    /// batch: in the state that the job says, stored or prepared; one range of rows. Its memory is
    ///        pinned where the backend can
    /// counted: of these, stored rows that enter the invalid-pixel count
    /// out: filtered views; [s][v][u], u fastest, the columns of DeviceJob::acquisition->geometry;
    ///      in host memory, pinned where the backend can; prepared views may be filtered in place
    /// @returns the invalid pixels that it found in stored views; returns when `out` holds the
    /// views
    /// @throws Cancelled, ResourceError
    virtual InvalidPixels apply(const DeviceBatch& batch, IndexRange counted, Span3<float> out,
                                const std::stop_token& stop) = 0;
};

}  // namespace gantry
