#include "core/plan/plan_forecast.h"

#include <algorithm>

#include "core/plan/device_choice.h"
#include "core/plan/iteration_plan.h"
#include "core/plan/questions.h"
#include "core/plan/step_devices.h"

namespace gantry {

namespace {

// Whether the time of the whole can be predicted.
bool isComplete(const PlanInputs& inputs, const JobPlan& plan, const MachineRates& rates) {
    const bool isStored =
        rates.storeBytes > 0 || inputs.sink.folder.empty() || isStorageUntested(inputs, plan);
    if (rates.loadBytes <= 0 || !isStored) return false;
    if (plan.engine == EngineKind::cpu) return rates.updates > 0;
    return std::ranges::all_of(rates.devices, [](const DeviceRates& device) {
        return device.updates > 0 && device.uploadBytes > 0;
    });
}

// Seconds until all devices of a run, which start together, accept work.
double startSeconds(const PlanInputs& inputs, const JobPlan& plan) {
    const auto together = static_cast<Index>(candidatesOf(inputs).size());
    double max = 0;
    for (const DevicePlan& device : plan.devices)
        if (const auto* kernel =
                inputs.facts.find<KernelFacts>(gpuKernelQuestion(inputs, device.device, together)))
            max = std::max(max, kernel->startSeconds);
    return max;
}

// Mean speed of a kernel on the slabs of a plan that remain.
double meanSpeed(const KernelChoice& kernel, const JobPlan& plan) {
    double slices = 0;
    double seconds = 0;  // for one voxel of each slice
    for (const PassPlan& pass : plan.passes)
        for (const Assignment& part : pass.assignments) {
            const auto& slab = plan.slabs[part.slab].slices;
            const auto height = static_cast<double>(slab.size());
            slices += height;
            seconds += height / kernel.updatesPerSecondOn(height);
        }
    return seconds > 0 ? slices / seconds : kernel.updatesPerSecond;
}

// Where the rank filtered when the grid's plan was last carried out, unless the request decides.
FilterOn storedPlace(const PlanInputs& inputs) {
    const bool isOpen = inputs.part && inputs.request.filterOn == FilterOn::automatic;
    return isOpen ? inputs.part->filterOn() : FilterOn::automatic;
}

}  // namespace

bool isStorageUntested(const PlanInputs& inputs, const JobPlan& plan) {
    const auto* storage = inputs.facts.find<StorageRate>(storageQuestion(inputs, plan));
    return storage && storage->of(storageKind(inputs, plan)) <= 0;
}

DeviceWorkload workOnDevices(const PlanInputs& inputs, const JobPlan& plan) {
    const Acquisition& acquisition = inputs.acquisition;
    return {acquisition.geometry,
            inputs.request.volume,
            plan,
            sizeBytes(acquisition.stored.pixelType),
            inputs.sink.outputBytes,
            acquisition.corrections.needsAllViews() || plan.areViewsHeldThere
                ? acquisition.stored.views
                : 0,
            plan.areViewsHeldThere ? heldRows(acquisition, plan) : IndexRange()};
}

MachineRates ratesOf(const PlanInputs& inputs, const JobPlan& plan) {
    MachineRates rates;
    if (const auto* host = inputs.facts.find<HostRates>(hostQuestion(inputs, plan))) {
        rates.loadBytes = host->loadBytes;
        const SharedSteps shared = sharedSteps(plan);
        rates.preparePixels = host->preparePixels * shared.prepare;
        rates.filterPixels = host->filterPixels;
        rates.correctPixels = host->correctPixels * shared.correct;
    }
    if (const auto* storage = inputs.facts.find<StorageRate>(storageQuestion(inputs, plan)))
        rates.storeBytes = storage->of(storageKind(inputs, plan));
    if (plan.part) rates.exchange = plan.part->exchange;
    if (plan.engine == EngineKind::cpu) {
        if (const auto* kernel = inputs.facts.find<KernelFacts>(cpuKernelQuestion(plan)))
            rates.updates = meanSpeed(kernel->choice, plan);
        return rates;
    }
    for (Index d = 0; d < std::ssize(plan.devices); ++d) {
        const DevicePlan& device = plan.devices[d];
        const auto* measured = inputs.facts.find<DeviceRates>(deviceQuestion(inputs, plan, d));
        rates.devices.push_back(measured ? *measured : DeviceRates());
        rates.devices.back().updates = device.kernel.updatesPerSecond;
        rates.devices.back().device = device.device;
    }
    return rates;
}

Forecast forecast(const PlanInputs& inputs, const JobPlan& plan) {
    return forecast(inputs, plan, ratesOf(inputs, plan));
}

Forecast forecast(const PlanInputs& inputs, const JobPlan& plan, const MachineRates& rates) {
    const DeviceWorkload work = workOnDevices(inputs, plan);
    Forecast result;
    if (plan.engine == EngineKind::gpu) {
        result = forecast(work, plan.handedOver, rates);
    } else {
        result = forecast(workload(work.geometry, work.grid, plan, work.storedBytesPerPixel,
                                   work.outputBytes, work.heldViews),
                          rates, std::ssize(plan.passes) * plan.batchesPerPass);
    }
    if (plan.iterations) addIterations(inputs, plan, rates, result);
    // In a run by several ranks, the devices have been started before planning.
    if (plan.engine == EngineKind::gpu && !plan.part) result.wall += startSeconds(inputs, plan);
    if (isComplete(inputs, plan, rates)) return result;
    result.wall = 0;
    result.boundingStage = {};
    return result;
}

double knownWall(const PlanInputs& inputs, const JobPlan& plan) {
    return forecast(workOnDevices(inputs, plan), plan.handedOver, ratesOf(inputs, plan)).wall;
}

bool isFilterPlaceOpen(const PlanInputs& inputs, const JobPlan& plan) {
    constexpr double kLongSeconds = 20;
    if (plan.engine == EngineKind::cpu || inputs.request.filterOn != FilterOn::automatic ||
        plan.hostTakes() == ViewState::filtered || storedPlace(inputs) != FilterOn::automatic)
        return false;
    if (plan.filteredFrom) return true;  // ranks have measured it when they chose their grid
    return forecast(inputs, plan).backproject > kLongSeconds;
}

ViewState filterPlace(const PlanInputs& inputs, const JobPlan& plan) {
    if (storedPlace(inputs) == FilterOn::cpu) return ViewState::filtered;
    if (!isFilterPlaceOpen(inputs, plan)) return plan.hostTakes();
    const MachineRates rates = ratesOf(inputs, plan);
    const bool isMeasured = std::ranges::all_of(
        rates.devices, [](const DeviceRates& device) { return device.uploadBytes > 0; });
    if (!isMeasured) return plan.hostTakes();
    const DeviceWorkload work = workOnDevices(inputs, plan);
    return plan.filteredFrom ? chooseFilterPlaceOfRank(work, rates)
                             : chooseFilterPlace(work, plan.handedOver, rates);
}

}  // namespace gantry
