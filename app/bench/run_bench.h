#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <vector>

#include "app/bench/kernel_bench.h"
#include "core/machine/device_figures.h"
#include "core/plan/performance_model.h"

namespace gantry {

/// A whole reconstruction from files to file.
struct RunFigures {
    BenchProblem problem;
    int cores = 0;
    double wallSeconds = 0;
    double cpuSeconds = 0;
    double overlapFactor = 0;
    double gups = 0;

    /// Wall time over all processor time spread evenly over the cores: 1 if no core ever waits.
    [[nodiscard]] double ratio() const { return wallSeconds / (cpuSeconds / cores); }
};

/// A simulated scan on disk, and a finished job of it whose timeline has that many synthetic spans
/// on four timeline lanes; removed by the destructor.
class BenchJob {
  public:
    BenchJob(const BenchProblem& problem, const std::filesystem::path& parent, Index spans,
             const std::stop_token& stop);
    ~BenchJob();
    [[nodiscard]] const std::filesystem::path& scan() const { return m_scan; }
    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }

  private:
    struct Place;
    std::unique_ptr<Place> m_place;
    std::filesystem::path m_scan;
    std::filesystem::path m_folder;
};

/// Simulates a scan in a folder of its own below `folder`, reconstructs it there, and removes it.
[[nodiscard]] RunFigures benchRun(const BenchProblem& problem, const std::filesystem::path& folder,
                                  const Backends& backends, const BenchContext& context);

/// The rates of this machine.
struct MachineFigures {
    MachineRates rates;  ///< of the CPU and the disk
    std::vector<DeviceFigures> devices;
};

/// Measured with a simulated scan of that size. @throws Cancelled, ResourceError
[[nodiscard]] MachineFigures benchMachine(const BenchProblem& problem,
                                          const std::filesystem::path& folder,
                                          const Backends& backends, const BenchContext& context);

}  // namespace gantry
