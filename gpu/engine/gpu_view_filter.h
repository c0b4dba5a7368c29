#pragma once

#include <cstdint>
#include <memory>

#include "core/engine/view_filter.h"
#include "core/pipeline/timeline.h"
#include "gpu/device/device_list.h"

namespace gantry {

/// Filters on one device, on a queue of its own whose kernels go before those of back-projection,
/// as other processes wait for its views. All memory is allocated here.
/// sink: spans of the timeline lane "GPU 0 filter", from the thread that filters
/// originNs: the job's start, by nowNs()
/// @throws ResourceError  the device lacks memory, is lost or in use
/// Tests: tests/gpu/engine/gpu_view_filter_test.cpp
[[nodiscard]] std::unique_ptr<ViewFilter> makeGpuViewFilter(const DeviceInfo& device,
                                                            const DeviceJob& job,
                                                            const SpanSink& sink,
                                                            std::int64_t originNs);

/// Device memory of such a filter beside an engine's, bytes. Touches no device.
[[nodiscard]] Index gpuViewFilterBytes(const DeviceJob& job);

}  // namespace gantry
