#pragma once

#include <cstdint>
#include <memory>

#include "core/engine/view_filter.h"
#include "core/pipeline/timeline.h"
#include "gpu/device/device_list.h"

namespace gantry {

/// Makes a filter on one device. Its queue has priority over back-projection, because other
/// processes wait for its views. All memory is allocated here.
/// sink: spans of the timeline lane "GPU 0 filter", from the thread that filters
/// originNs: the job's start, by nowNs()
/// @throws ResourceError  the device lacks memory, is lost or in use
/// Tests: tests/gpu/engine/gpu_view_filter_test.cpp
[[nodiscard]] std::unique_ptr<ViewFilter> makeGpuViewFilter(const DeviceInfo& device,
                                                            const DeviceJob& job,
                                                            const SpanSink& sink,
                                                            std::int64_t originNs);

/// Device memory that such a filter takes beside an engine's, bytes. Touches no device.
[[nodiscard]] Index gpuViewFilterBytes(const DeviceJob& job);

}  // namespace gantry
