#include "core/plan/step_devices.h"

namespace gantry {

Index correctingDevices(const JobPlan& plan) {
    if (!plan.areStepsOnDevice) return 0;
    return plan.areViewsHeldThere ? 1 : std::ssize(plan.devices);
}

SharedSteps sharedSteps(const JobPlan& plan) {
    SharedSteps shared;
    if (plan.areStepsOnDevice) shared.correct = static_cast<double>(correctingDevices(plan));
    if (plan.areRowsResampledThere) shared.prepare = static_cast<double>(plan.devices.size());
    return shared;
}

Index stepsBytesOn(const PlanInputs& inputs, const JobPlan& plan, Index index) {
    const auto& bytesOf = inputs.machine.gpu.viewStepsBytes;
    Index bytes = 0;
    if (index < correctingDevices(plan))
        bytes += bytesOf(viewStepsJobOf(inputs.acquisition, plan)).value();
    if (plan.areRowsResampledThere)
        bytes += bytesOf(resampleJobOf(inputs.acquisition, plan)).value();
    return bytes;
}

}  // namespace gantry
