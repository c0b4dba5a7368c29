#pragma once

#include <filesystem>

#include "app/kernel_bench.h"
#include "core/plan/performance_model.h"
#include "core/recon/backends.h"

namespace gantry {

/// A whole reconstruction from files to file.
struct RunFigures {
    BenchProblem problem;
    int cores = 0;
    double wallSeconds = 0;
    double cpuSeconds = 0;
    double overlapFactor = 0;
    double gups = 0;

    /// Wall time against all processor time spread evenly over the cores: 1 when none ever waits.
    [[nodiscard]] double ratio() const { return wallSeconds / (cpuSeconds / cores); }
};

/// Simulates a scan in a folder of its own below `folder`, reconstructs it there, and removes it.
[[nodiscard]] RunFigures benchRun(const BenchProblem& problem, const std::filesystem::path& folder,
                                  const Backends& backends, const BenchContext& context);

/// What this machine does a second with a simulated scan of that size.
[[nodiscard]] MachineRates benchMachine(const BenchProblem& problem,
                                        const std::filesystem::path& folder,
                                        const Backends& backends, const BenchContext& context);

}  // namespace gantry
