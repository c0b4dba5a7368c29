#include "core/plan/request.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace gantry {

void settleMethod(ReconstructionRequest& request) {
    if (!request.method.isIterative()) return;
    const auto refuse = [&](const char* field, const char* option) {
        throw InputError(
            fmt::format("{} has one projector for each device, and {} chooses among those of FDK.",
                        name(request.method.method), option),
            {.advice = fmt::format("Leave {} out, or use --method fdk.", option), .field = field});
    };
    if (request.gpuKernel != kAnyKernel) refuse("gpuKernel", "--kernel");
    if (request.filterOn == FilterOn::gpu) refuse("filterOn", "--filter-on");
    if (request.fast) refuse("precision", "--precision");
    request.filter = {FilterWindow::hann, 1};
}

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
