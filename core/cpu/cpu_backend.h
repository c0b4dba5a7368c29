#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/backproject/back_projector.h"
#include "core/backproject/cpu_kernels.h"
#include "core/engine/backends.h"
#include "core/engine/device_engine.h"
#include "core/engine/plane_preview.h"
#include "core/pipeline/timeline.h"

namespace gantry {

/// A kernel of the CPU's engine and the function that makes it for a number of threads.
struct CpuKernel {
    Kernel kernel;
    std::unique_ptr<BackProjector> (*make)(int threads);
};

/// reference (iFDK algorithm 2 in double), general (the same in SIMD), stack (for parallel beams on
/// an upright detector, where it replaces the usual one) and columns (algorithm 4, SIMD, for
/// aligned views); the usual one is last. A kernel is added by its file and a line here.
[[nodiscard]] std::vector<CpuKernel> cpuKernels();

/// "CPU (AVX-512)"
[[nodiscard]] std::string cpuName();

/// The CPU as the one device of an engine.
/// Tests: tests/core/cpu/cpu_engine_test.cpp
[[nodiscard]] EngineBackend makeCpuBackend(std::vector<CpuKernel> kernels = cpuKernels());

/// Makes the CPU's engine: a back-projector makes slabs one at a time, in the calling thread and in
/// those that it starts. It takes filtered views. Spans go to the timeline lane "back-project".
/// make: a back-projector; called once for each range of a slab
/// @throws ResourceError  out of memory
/// Tests: tests/core/cpu/cpu_engine_test.cpp, tests/core/work/reconstruct_test.cpp
[[nodiscard]] std::unique_ptr<DeviceEngine> makeCpuEngine(
    const DeviceJob& job, std::function<std::unique_ptr<BackProjector>()> make, SpanSink sink,
    std::int64_t originNs);

/// Renders on the CPU, with the best instruction set of this machine or the given one. @throws
/// InternalError  the machine does not support the level Tests:
/// tests/core/cpu/cpu_plane_preview_test.cpp
[[nodiscard]] std::unique_ptr<PlanePreview> makeCpuPlanePreview(int threads);
[[nodiscard]] std::unique_ptr<PlanePreview> makeCpuPlanePreview(int threads, SimdLevel level);
/// Renders in double; tests compare the others with it.
[[nodiscard]] std::unique_ptr<PlanePreview> makeReferencePlanePreview(int threads);

}  // namespace gantry
