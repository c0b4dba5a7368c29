#include "core/plan/device_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "core/plan/host_memory.h"

namespace gantry {

namespace {

std::string listed(const std::vector<DeviceFacts>& devices) {
    std::vector<std::string> names;
    names.reserve(devices.size());
    for (const DeviceFacts& device : devices)
        names.push_back(fmt::format("{} ({})", device.number, device.name));
    return fmt::format("{}", fmt::join(names, ", "));
}

// Throws where the request names options that the CPU does not have.
void requireNoGpuWish(const ReconstructionRequest& request) {
    const auto refuse = [](const char* field, const char* option, const std::string& wish) {
        throw InputError(
            fmt::format("{} needs a GPU, and the job runs on the CPU.", wish),
            {.advice = fmt::format("Leave {} out, or use --engine gpu.", option), .field = field});
    };
    if (request.gpuKernel != kAnyKernel)
        refuse("kernel", "--kernel", "The kernel " + request.gpuKernel);
    if (request.filterOn == FilterOn::gpu)
        refuse("filterOn", "--filter-on", "Filtering on the GPU");
    if (!request.devices.empty()) refuse("devices", "--devices", "A choice of GPUs");
    if (request.fast) refuse("precision", "--precision", "The precision fast");
    if (request.deviceMemoryBytes > 0)
        refuse("deviceMemoryBytes", "--device-memory", "A limit of GPU memory");
}

}  // namespace

std::vector<DeviceFacts> chosenDevices(const ReconstructionRequest& request,
                                       const EngineInfo& gpu) {
    if (request.devices.empty()) return gpu.devices;
    std::vector<DeviceFacts> chosen;
    std::set<int> seen;
    for (const int number : request.devices) {
        const auto found = std::ranges::find(gpu.devices, number, &DeviceFacts::number);
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

Index usualDeviceBytes(Index freeBytes) {
    constexpr double kShare = 0.9;
    return static_cast<Index>(kShare * static_cast<double>(freeBytes));
}

Kernel kernelNamed(const EngineInfo& engine, const std::string& name, const char* field,
                   bool viewsAreAligned, bool viewsAreParallel) {
    if (engine.kernels.empty()) return {};
    if (name == kUsualCpuKernel && viewsAreParallel)
        for (const Kernel& kernel : engine.kernels)
            if (kernel.isForParallel) return kernel;
    const auto takesViews = [&](const Kernel& kernel) {
        return viewsAreAligned || kernel.takesAnyViews;
    };
    if (name == kAnyKernel || (name == kUsualCpuKernel && !viewsAreAligned)) {
        const auto usual = std::find_if(engine.kernels.rbegin(), engine.kernels.rend(), takesViews);
        return usual != engine.kernels.rend() ? *usual : engine.kernels.back();
    }
    std::vector<std::string_view> names;
    for (const Kernel& kernel : engine.kernels) {
        if (kernel.name == name && takesViews(kernel)) return kernel;
        if (kernel.name == name)
            throw InputError(
                fmt::format("The kernel {} takes views of one upright detector, and those of this "
                            "scan have a pose each.",
                            name),
                {.advice = "Leave --kernel out.", .field = field});
        names.push_back(kernel.name);
    }
    throw InputError(
        fmt::format("The kernel '{}' is unknown. Known: {}.", name, fmt::join(names, ", ")),
        {.field = field});
}

ViewState stateHandedOver(const PlanInputs& inputs, const std::string& whyNoFilter) {
    const FilterOn wanted = inputs.request.filterOn;
    if (wanted == FilterOn::gpu && !whyNoFilter.empty())
        throw InputError(fmt::format("The GPU cannot filter: {}", whyNoFilter),
                         {.advice = "Use --filter-on cpu.", .field = "filterOn"});
    if (wanted == FilterOn::cpu || !whyNoFilter.empty()) return ViewState::filtered;
    const Acquisition& acquisition = inputs.acquisition;
    return acquisition.areRowsAlone() && acquisition.areFieldsConstant() ? ViewState::stored
                                                                         : ViewState::prepared;
}

bool runsOnDevices(const ReconstructionRequest& request, const Machine& machine) {
    (void)kernelNamed(machine.cpu, request.cpuKernel, "cpuKernel");
    if (kernelNamed(machine.gpu, request.gpuKernel, "gpuKernel").isFast && !request.fast)
        throw InputError(fmt::format("The kernel {} is not exact: it interpolates in texture "
                                     "hardware or in half floats. Choose an exact kernel.",
                                     request.gpuKernel),
                         {.advice = "Or add --precision fast.", .field = "kernel"});
    if (request.engine == Engine::cpu) {
        requireNoGpuWish(request);
        return false;
    }
    if (asksForCpu(request)) {
        if (request.engine == Engine::gpu)
            throw InputError(
                fmt::format("The kernel {} runs on the CPU alone.", request.cpuKernel),
                {.advice = "Use --engine cpu, or leave --kernel out.", .field = "kernel"});
        requireNoGpuWish(request);
        return false;
    }
    if (asksForDevices(request) && machine.gpu.devices.empty())
        throw InputError(fmt::format("No GPU can be used: {}.", machine.whyNoGpu),
                         {.advice = "Use --engine cpu.", .field = "engine"});
    return !machine.gpu.devices.empty();
}

std::vector<Candidate> candidatesOf(const PlanInputs& inputs) {
    const ReconstructionRequest& request = inputs.request;
    const EngineInfo& gpu = inputs.machine.gpu;
    std::vector<Candidate> candidates;
    for (const DeviceFacts& facts : chosenDevices(request, gpu)) {
        DevicePlan device;
        device.device = facts.number;
        device.name = facts.name;
        device.budgetBytes = request.deviceMemoryBytes > 0
                                 ? std::min(request.deviceMemoryBytes, facts.freeBytes)
                                 : usualDeviceBytes(facts.freeBytes);
        device.kernel.kernel = kernelNamed(gpu, request.gpuKernel, "gpuKernel",
                                           inputs.acquisition.geometry.areAligned());
        DeviceJob min =
            jobWithoutSlabs(inputs.acquisition, request, batchesOf(inputs), device.kernel.kernel);
        min.maxRows = min.maxSlices = min.chunkSlices = 1;
        min.slabsAtOnce = 1;
        Candidate candidate;
        if (const Index bytes = gpu.bytesNeeded(min); bytes > device.budgetBytes)
            candidate.whyNot =
                deviceShortfall(device.device, device.name, {bytes, device.budgetBytes});
        candidate.device = std::move(device);
        candidates.push_back(std::move(candidate));
    }
    return candidates;
}

}  // namespace gantry
