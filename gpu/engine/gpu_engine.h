#pragma once

#include <cstdint>
#include <memory>

#include "core/engine/device_engine.h"
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

}  // namespace gantry
