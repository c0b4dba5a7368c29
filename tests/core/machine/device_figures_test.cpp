#include "core/machine/device_figures.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "tests/support/fake_gpus.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

// Two GPUs, one of whose kernels is for parallel beams and refuses others, as the GPU engine's do.
EngineBackend gpusWithAParallelKernel(test::FakeGpuRates& rates) {
    EngineBackend gpu = test::fakeGpus(2, 1'000'000'000, rates);
    const Kernel parallel = {"parallel-stack", false, 16, false, false, true};
    gpu.info.kernels.insert(gpu.info.kernels.begin(), parallel);
    gpu.chooseKernel = [parallel, usual = gpu.chooseKernel](int device, const DeviceJob& job,
                                                            bool fast) {
        if (job.kernel != parallel.name) return usual(device, job, fast);
        if (!takesViews(parallel, job.acquisition->geometry))
            throw InputError("The kernel takes views of a parallel beam.");
        return KernelChoice{parallel, 1e12};
    };
    return gpu;
}

std::vector<std::string> namesOf(const std::vector<KernelChoice>& choices) {
    std::vector<std::string> names;
    for (const KernelChoice& choice : choices)
        names.push_back(choice.kernel.name);
    return names;
}

std::vector<DeviceFigures> figuresOf(const SimulationSpec& scan, const EngineBackend& gpu) {
    const test::TemporaryFolder folder;
    const ScanFile file = test::simulated(scan, folder / "scan");
    const JobSpec spec = test::jobOf(file, 16, folder / "v.mha");
    return measureDevices(openScan(file), spec, gpu, {});
}

TEST(DeviceFigures, ACircularScanIsMeasuredWithoutKernelsForParallelBeams) {
    test::FakeGpuRates rates;
    const auto figures = figuresOf(test::smallScan(8, 16, 16, 410), gpusWithAParallelKernel(rates));
    ASSERT_EQ(figures.size(), 2U);
    EXPECT_EQ(rates.measured, 2);
    for (const DeviceFigures& one : figures) {
        EXPECT_EQ(one.exact.kernel.name, "tile");
        EXPECT_EQ(one.fast.kernel.name, "mirror-texture");
        EXPECT_EQ(namesOf(one.kernels),
                  (std::vector<std::string>{"standard", "mirror-texture", "tile"}));
    }
}

TEST(DeviceFigures, AParallelBeamIsMeasuredWithItsKernels) {
    SimulationSpec scan = test::smallScan(8, 16, 16, 410);
    auto& beam = scan.geometry.trajectory.emplace<ParallelBeam>();
    beam.arcDeg = 180;
    beam.views = 8;
    test::FakeGpuRates rates;
    for (const DeviceFigures& one : figuresOf(scan, gpusWithAParallelKernel(rates)))
        EXPECT_EQ(namesOf(one.kernels).front(), "parallel-stack");
}

}  // namespace
}  // namespace gantry
