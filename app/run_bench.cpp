#include "app/run_bench.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/recon/machine_rates.h"
#include "core/recon/reconstruct.h"
#include "core/recon/simulate_scan.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// A fresh folder that is gone afterwards.
class BenchFolder {
  public:
    explicit BenchFolder(const fs::path& parent) {
        std::string name = (parent / "gantry-bench-XXXXXX").string();
        if (!::mkdtemp(name.data()))
            throw InputError(fmt::format("{}: no folder can be made there", parent.string()));
        m_path = name;
    }
    ~BenchFolder() {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    BenchFolder(const BenchFolder&) = delete;
    BenchFolder& operator=(const BenchFolder&) = delete;

    [[nodiscard]] const fs::path& path() const { return m_path; }

  private:
    fs::path m_path;
};

// A job on a scan that has just been simulated.
JobSpec prepareJob(const BenchProblem& problem, const fs::path& folder, const BenchContext& context,
                   double share) {
    SimulationSpec spec;
    spec.geometry = problem.geometry();
    SimulationContext simulation;
    simulation.threads = availableThreads();
    simulation.stop = context.stop;
    simulation.onProgress = [&](double fraction) {
        if (context.onProgress) context.onProgress(share * fraction);
    };
    const SimulationResult scan = simulateScan(spec, folder / "scan", false, simulation);
    JobSpec job;
    job.scan = readScanFile(scan.scanFile);
    job.volume = problem.grid();
    job.output.path = folder / "volume.mha";
    return job;
}

}  // namespace

RunFigures benchRun(const BenchProblem& problem, const fs::path& folder, const Backends& backends,
                    const BenchContext& context) {
    constexpr double kSimulationShare = 0.5;
    const BenchFolder place(folder);
    const JobSpec spec = prepareJob(problem, place.path(), context, kSimulationShare);
    const JobDirectory job = JobDirectory::create(jobFolderFor(spec.output.path), spec);
    const RunContext run = {
        backends,
        context.stop,
        [&](const Progress& progress) {
            if (context.onProgress)
                context.onProgress(kSimulationShare + (1 - kSimulationShare) * progress.fraction);
        },
        {}};
    const RunResult result = runJob(job, run);
    const double updates =
        static_cast<double>(spec.volume.count()) * static_cast<double>(problem.nP);
    return {problem,
            availableThreads(),
            result.wallSeconds,
            result.cpuSeconds,
            result.timeline.overlapFactor,
            updates / result.wallSeconds / static_cast<double>(1 << 30)};
}

MachineRates benchMachine(const BenchProblem& problem, const fs::path& folder,
                          const Backends& backends, const BenchContext& context) {
    const BenchFolder place(folder);
    const JobSpec spec = prepareJob(problem, place.path(), context, 1);
    const OpenScan scan = openScan(spec.scan, context.stop);
    const JobPlan plan = planJob(scan, spec, *backends.cpuColumns(availableThreads()), {});
    return measureRates(scan, spec, plan, backends, context.stop);
}

}  // namespace gantry
