#include "core/plan/device_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/base/error.h"

namespace gantry {

namespace {

std::string listed(const std::vector<DeviceFacts>& devices) {
    std::vector<std::string> names;
    names.reserve(devices.size());
    for (const DeviceFacts& device : devices)
        names.push_back(fmt::format("{} ({})", device.number, device.name));
    return fmt::format("{}", fmt::join(names, ", "));
}

// The request's parts that are not for the CPU.
void requireNoGpuWish(const ReconstructionRequest& request) {
    const auto refuse = [](const char* field, const char* option, const std::string& wish) {
        throw InputError(
            fmt::format("{} needs a GPU, and the job runs on the CPU.", wish),
            {.advice = fmt::format("Leave {} out, or use --engine gpu.", option), .field = field});
    };
    if (!request.gpuKernel.empty()) refuse("kernel", "--kernel", "The kernel " + request.gpuKernel);
    if (request.filterOn == FilterOn::gpu)
        refuse("filterOn", "--filter-on", "Filtering on the GPU");
    if (!request.devices.empty()) refuse("devices", "--devices", "A choice of GPUs");
    if (request.fast) refuse("precision", "--precision", "The precision fast");
    if (request.deviceMemoryBytes > 0)
        refuse("deviceMemoryBytes", "--device-memory", "A limit of GPU memory");
}

}  // namespace

std::vector<DeviceFacts> chosenDevices(const ReconstructionRequest& request,
                                       const GpuBackend& gpu) {
    if (request.devices.empty()) return gpu.devices;
    std::vector<DeviceFacts> chosen;
    std::set<int> seen;
    for (const int number : request.devices) {
        const auto found =
            std::find_if(gpu.devices.begin(), gpu.devices.end(),
                         [&](const DeviceFacts& device) { return device.number == number; });
        if (found == gpu.devices.end())
            throw InputError(fmt::format("There is no GPU {}. This machine has {}.", number,
                                         listed(gpu.devices)),
                             {.field = "devices"});
        if (!seen.insert(number).second)
            throw InputError(fmt::format("GPU {} is named twice. Name each once.", number),
                             {.field = "devices"});
        chosen.push_back(*found);
    }
    return chosen;
}

ViewState stateHandedOver(const Acquisition& acquisition, const ReconstructionRequest& request,
                          const GpuBackend& gpu) {
    const std::string whyNot = gpu.whyNoFilter ? gpu.whyNoFilter() : std::string();
    if (request.filterOn == FilterOn::gpu && !whyNot.empty())
        throw InputError(fmt::format("The GPU cannot filter: {}", whyNot),
                         {.advice = "Use --filter-on cpu.", .field = "filterOn"});
    if (request.filterOn == FilterOn::cpu || !whyNot.empty()) return ViewState::filtered;
    return acquisition.rectifier.isIdentity() ? ViewState::stored : ViewState::prepared;
}

bool runsOnDevices(const ReconstructionRequest& request, const Backends& backends) {
    if (isFastKernel(request.gpuKernel) && !request.fast)
        throw InputError(fmt::format("The kernel {} interpolates in texture hardware, with "
                                     "fractions of 8 bits. Choose an exact kernel such as tile.",
                                     request.gpuKernel),
                         {.advice = "Or add --precision fast.", .field = "kernel"});
    if (request.engine == Engine::cpu) {
        requireNoGpuWish(request);
        return false;
    }
    if (request.cpuKernel != CpuKernel::columns) {
        if (request.engine == Engine::gpu)
            throw InputError(
                "The kernel reference runs on the CPU alone.",
                {.advice = "Use --engine cpu, or leave --kernel out.", .field = "kernel"});
        requireNoGpuWish(request);
        return false;
    }
    if (asksForDevices(request) && backends.gpu.devices.empty())
        throw InputError(fmt::format("No GPU can be used: {}.", backends.whyNoGpu),
                         {.advice = "Use --engine cpu.", .field = "engine"});
    return !backends.gpu.devices.empty();
}

}  // namespace gantry
