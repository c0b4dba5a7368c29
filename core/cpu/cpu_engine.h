#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/backproject/back_projector.h"
#include "core/engine/device_engine.h"
#include "core/pipeline/timeline.h"

namespace gantry {

/// Makes the CPU's engine: a back-projector makes slabs one at a time, in the calling thread and in
/// those that it starts. It takes filtered views. Spans go to the timeline lane "back-project".
/// make: a back-projector; called once for each range of a slab
/// @throws ResourceError  out of memory
/// Tests: tests/core/cpu/cpu_engine_test.cpp, tests/core/work/reconstruct_test.cpp
[[nodiscard]] std::unique_ptr<DeviceEngine> makeCpuEngine(
    const DeviceJob& job, std::function<std::unique_ptr<BackProjector>()> make, SpanSink sink,
    std::int64_t originNs);

}  // namespace gantry
