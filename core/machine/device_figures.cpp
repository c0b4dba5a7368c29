#include "core/machine/device_figures.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"

namespace gantry {

std::vector<DeviceFigures> measureDevices(const OpenScan& scan,
                                          const ReconstructionRequest& request,
                                          const EngineBackend& gpu, const std::stop_token& stop) {
    constexpr Index kChunkSlices = 8;
    DeviceJob job;
    job.acquisition = &scan;
    job.volume = request.volume;
    job.filter = request.filter;
    job.batchViews = request.batchViews;
    job.maxRows = scan.geometry.detector.rows;
    job.maxSlices = request.volume.voxels[2];
    job.slabsAtOnce = 1;
    job.chunkSlices = std::min(kChunkSlices, job.maxSlices);
    std::vector<DeviceFigures> figures;
    for (const DeviceFacts& device : gpu.info.devices) {
        if (stop.stop_requested()) throw Cancelled();
        DeviceFigures one;
        one.device = device;
        one.whyNoFilter = gpu.whyNoFilter(device.number);
        job.handedOver = one.whyNoFilter.empty() ? ViewState::stored : ViewState::filtered;
        job.kernel.clear();
        one.fast = gpu.chooseKernel(device.number, job, true);
        one.exact = gpu.chooseKernel(device.number, job, false);
        job.kernel = one.exact.kernel.name;
        one.rates = gpu.measure(device.number, job);
        for (const Kernel& kernel : gpu.info.kernels) {
            if (stop.stop_requested()) throw Cancelled();
            if (!takesViews(kernel, scan.geometry)) continue;
            job.kernel = kernel.name;
            one.kernels.push_back(gpu.chooseKernel(device.number, job, true));
        }
        figures.push_back(std::move(one));
    }
    return figures;
}

}  // namespace gantry
