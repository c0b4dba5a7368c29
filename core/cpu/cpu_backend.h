#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/backproject/back_projector.h"
#include "core/engine/backends.h"

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

}  // namespace gantry
