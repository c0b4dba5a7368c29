#pragma once

#include <cstdint>
#include <memory>

#include "core/iterate/method.h"
#include "core/pipeline/timeline.h"
#include "core/project/projection_space.h"
#include "gpu/device/device_list.h"

namespace gantry {

/// A method's vectors, its views and the projector in the memory of one GPU. What A and Aᵀ take are
/// spans of its lane "GPU 0"; sink: may be empty. tiled: as of DeviceRays
/// @throws ResourceError
/// Tests: tests/gpu/engine/gpu_space_test.cpp
[[nodiscard]] std::unique_ptr<ProjectionSpace> makeGpuSpace(const DeviceInfo& device,
                                                            const SpaceTask& task, SpanSink sink,
                                                            std::int64_t originNs,
                                                            bool tiled = true);

/// Device memory that such a space and the method's vectors take at their peak, bytes.
[[nodiscard]] Index gpuSpaceBytes(const SpaceShape& shape, const IterativeMethod& method);

}  // namespace gantry
