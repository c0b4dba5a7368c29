#include "core/plan/request.h"

namespace gantry {

void leaveGpus(ReconstructionRequest& request) {
    request.gpuKernel = kAnyKernel;
    request.fast = false;
    request.filterOn = FilterOn::automatic;
    request.devices.clear();
    request.deviceMemoryBytes = 0;
}

bool asksForDevices(const ReconstructionRequest& request) {
    return request.engine == Engine::gpu || request.gpuKernel != kAnyKernel ||
           request.filterOn == FilterOn::gpu || !request.devices.empty();
}

bool asksForCpu(const ReconstructionRequest& request) {
    return request.cpuKernel != kUsualCpuKernel;
}

}  // namespace gantry
