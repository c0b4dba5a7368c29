#pragma once

#include <cstdint>
#include <memory>

#include "core/engine/device_engine.h"
#include "gpu/device/device_list.h"

namespace gantry {

/// Makes slabs on one device with three queues, so that copies in, work and copies out overlap: one
/// for uploads, one for filter and back-projection, one for downloads. All memory is taken here.
/// sink: takes spans on the timeline lanes "GPU 0 upload", "GPU 0" and "GPU 0 download", from the
/// threads
///       that call the engine
/// originNs: the job's start, by nowNs()
/// @throws ResourceError  the device has not the memory, or is lost or taken
/// @throws InputError  no kernel is named like the job's
/// Tests: tests/gpu/engine/gpu_engine_test.cpp
[[nodiscard]] std::unique_ptr<DeviceEngine> makeGpuEngine(const DeviceInfo& device,
                                                          const DeviceJob& job,
                                                          const SpanSink& sink,
                                                          std::int64_t originNs);

/// Device memory that such an engine takes, bytes; with the driver's own for a program.
[[nodiscard]] Index gpuEngineBytes(const DeviceInfo& device, const DeviceJob& job);

}  // namespace gantry
