#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/engine/device_engine.h"
#include "core/engine/plane_preview.h"
#include "core/engine/view_steps.h"
#include "core/pipeline/timeline.h"
#include "gpu/device/device_list.h"

namespace gantry {

/// Makes slabs on one device with three queues, so that copies in, work and copies out overlap: one
/// for uploads, one for filter and back-projection, one for downloads. All memory is allocated
/// here.
/// sink: spans of the timeline lanes "GPU 0 upload", "GPU 0" and "GPU 0 download", from threads
///       that call the engine
/// originNs: the job's start, by nowNs()
/// @throws ResourceError  the device lacks memory, is lost or in use
/// @throws InputError  no kernel is named like the job's
/// Tests: tests/gpu/engine/gpu_engine_test.cpp
[[nodiscard]] std::unique_ptr<DeviceEngine> makeGpuEngine(const DeviceInfo& device,
                                                          const DeviceJob& job,
                                                          const SpanSink& sink,
                                                          std::int64_t originNs);

/// Device memory of such an engine, bytes, including what the driver takes for a program. Touches
/// no device.
[[nodiscard]] Index gpuEngineBytes(const DeviceJob& job);

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

/// Makes what corrects views on one device, in a queue of its own. All memory is allocated here.
/// @throws ResourceError  the device lacks memory, is lost or in use
/// Tests: tests/gpu/engine/gpu_view_steps_test.cpp
[[nodiscard]] std::unique_ptr<ViewSteps> makeGpuViewSteps(const DeviceInfo& device,
                                                          const ViewStepsJob& job);

/// Device memory of such steps, bytes; nothing where the device cannot do them: sorting takes up to
/// 8,192 views. Touches no device.
[[nodiscard]] std::optional<Index> gpuViewStepsBytes(const ViewStepsJob& job);

/// Renders planes on one device, which keeps a copy of the views in textures: 4 bytes a pixel, and
/// twice as many for line integrals, which it filters itself. Texture hardware interpolates with
/// fractions of 8 bits. Pictures are in pinned memory.
/// @param device  becomes current in the threads that use it
/// @throws ResourceError  no memory, or the device is lost
/// Tests: tests/gpu/engine/plane_preview_test.cpp
[[nodiscard]] std::unique_ptr<PlanePreview> makeGpuPlanePreview(const DeviceInfo& device);

}  // namespace gantry
