#include "core/live/live_place.h"

#include <algorithm>

namespace gantry {

namespace {

constexpr double kShareOfHost = 0.5;
constexpr double kShareOfDevice = 0.6;

// limit: set by the request; 0: none
Index share(double part, Index bytes, Index limit) {
    const auto shared = static_cast<Index>(part * static_cast<double>(bytes));
    return limit > 0 ? std::min(limit, shared) : shared;
}

bool mayUse(const ReconstructionRequest& request, int device) {
    return request.devices.empty() ||
           std::ranges::find(request.devices, device) != request.devices.end();
}

}  // namespace

LivePlace livePlace(const JobSpec& request, const Machine& machine, Index hostFreeBytes) {
    LivePlace place = {share(kShareOfHost, hostFreeBytes, request.memoryBytes), std::nullopt};
    if (request.engine == Engine::cpu || asksForCpu(request) ||
        onOwnDetectors(request.scan.geometry, request.rows.value_or(FilterRows::upright)))
        return place;
    const std::vector<DeviceFacts>& gpus = machine.gpu.devices;
    const auto gpu = std::ranges::find_if(
        gpus, [&](const DeviceFacts& device) { return mayUse(request, device.number); });
    if (gpu != gpus.end())
        place.device = {gpu->number,
                        share(kShareOfDevice, gpu->freeBytes, request.deviceMemoryBytes)};
    return place;
}

}  // namespace gantry
