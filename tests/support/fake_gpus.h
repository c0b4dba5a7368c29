#pragma once

#include "core/engine/backends.h"

namespace gantry::test {

/// What fake devices are measured to do, and how often they were asked.
struct FakeGpuRates {
    DeviceRates each = {5e10, 5e10, 2e10, 1e12};
    std::string whyNoFilter;
    int measured = 0;
    ViewState handedOver = ViewState::filtered;  ///< in the last measurement
};

/// GPUs that can be planned on and measured, and run nothing. A job takes its slabs' voxels of
/// device memory. `rates` outlives them.
inline GpuBackend fakeGpus(int count, Index freeBytes, FakeGpuRates& rates) {
    GpuBackend gpu;
    for (int number = 0; number < count; ++number)
        gpu.devices.push_back({number, "Fake 100", 2 * freeBytes, freeBytes});
    gpu.kernels = {"standard", "mirror-texture", "tile"};
    gpu.whyNoFilter = [&rates] { return rates.whyNoFilter; };
    gpu.bytesNeeded = [](int, const DeviceJob& job) {
        return job.slabsAtOnce * job.mostSlices * job.volume.voxels[0] * job.volume.voxels[1] *
               Index{sizeof(float)};
    };
    gpu.chooseKernel = [&rates](int, const DeviceJob& job, bool fast) {
        const std::string fastest = fast ? "mirror-texture" : "tile";
        return KernelChoice{job.kernel.empty() ? fastest : job.kernel, rates.each.updates};
    };
    gpu.measure = [&rates](int, const DeviceJob& job) {
        ++rates.measured;
        rates.handedOver = job.handedOver;
        return rates.each;
    };
    return gpu;
}

}  // namespace gantry::test
