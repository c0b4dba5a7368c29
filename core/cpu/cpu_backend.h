#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/backproject/back_projector.h"
#include "core/engine/backends.h"

namespace gantry {

/// A kernel of the CPU's engine and what makes it, for so many threads.
struct CpuKernel {
    Kernel kernel;
    std::unique_ptr<BackProjector> (*make)(int threads);
};

/// reference (iFDK algorithm 2 in double), general (the same in SIMD), stack (for parallel beams on
/// an upright detector, whose jobs take it in place of the usual one) and columns (algorithm 4,
/// SIMD, for aligned views), the usual one last. A kernel is added by its file and a line here.
[[nodiscard]] std::vector<CpuKernel> cpuKernels();

/// "CPU (AVX-512)"
[[nodiscard]] std::string cpuName();

/// The CPU as the one device of an engine.
/// Tests: tests/core/cpu/cpu_engine_test.cpp
[[nodiscard]] EngineBackend makeCpuBackend(std::vector<CpuKernel> kernels = cpuKernels());

}  // namespace gantry
