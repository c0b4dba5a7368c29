#include "core/plan/request.h"

#include "core/base/parallel.h"

namespace gantry {

void leaveGpus(ReconstructionRequest& request) {
    request.gpuKernel.clear();
    request.fast = false;
    request.filterOn = FilterOn::automatic;
    request.devices.clear();
    request.deviceMemoryBytes = 0;
}

bool asksForDevices(const ReconstructionRequest& request) {
    return request.engine == Engine::gpu || !request.gpuKernel.empty() ||
           request.filterOn == FilterOn::gpu || !request.devices.empty();
}

int threadsOf(const ReconstructionRequest& request) {
    return request.threads > 0 ? request.threads : availableThreads();
}

}  // namespace gantry
