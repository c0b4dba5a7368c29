#pragma once

#include <string>
#include <vector>

#include "core/engine/backends.h"

namespace gantry::test {

/// Kernels like those of the GPU engine.
inline std::vector<Kernel> testGpuKernels() {
    return {{"standard", false, 1, false, true},
            {"mirror-texture", true, 1, true},
            {"tile", false, 128}};
}

/// What a trial among them finds.
inline KernelChoice testGpuChoice(const std::string& wanted, bool fast, double updatesPerSecond,
                                  bool areAligned = true) {
    const std::string name = !wanted.empty() ? wanted
                             : !areAligned   ? "standard"
                             : fast          ? "mirror-texture"
                                             : "tile";
    for (const Kernel& kernel : testGpuKernels())
        if (kernel.name == name) return {kernel, updatesPerSecond};
    return {};
}

/// What fake devices are measured to do, and how often they were asked.
struct FakeGpuRates {
    DeviceRates each = {5e10, 5e10, 2e10, 1e12};
    double posedUpdates = 1e12;  ///< of views on their own detectors
    std::string whyNoFilter;
    int measured = 0;
    int tried = 0;  ///< kernels
};

/// GPUs that can be planned on and measured, and run nothing. A job takes its slabs' voxels of
/// device memory. `rates` outlives them.
inline EngineBackend fakeGpus(int count, Index freeBytes, FakeGpuRates& rates) {
    EngineBackend gpu;
    for (int number = 0; number < count; ++number)
        gpu.info.devices.push_back({number, "Fake 100", 2 * freeBytes, freeBytes});
    gpu.info.kernels = testGpuKernels();
    gpu.whyNoFilter = [&rates](int) { return rates.whyNoFilter; };
    gpu.info.bytesNeeded = [](const DeviceJob& job) {
        return job.slabsAtOnce * job.maxSlices * job.volume.voxels[0] * job.volume.voxels[1] *
               Index{sizeof(float)};
    };
    gpu.chooseKernel = [&rates](int, const DeviceJob& job, bool fast) {
        ++rates.tried;
        const bool areAligned = job.acquisition->geometry.areAligned();
        return testGpuChoice(job.kernel, fast, areAligned ? rates.each.updates : rates.posedUpdates,
                             areAligned);
    };
    gpu.measure = [&rates](int, const DeviceJob&) {
        ++rates.measured;
        return rates.each;
    };
    return gpu;
}

}  // namespace gantry::test
