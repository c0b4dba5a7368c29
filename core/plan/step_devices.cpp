#include "core/plan/step_devices.h"

namespace gantry {

Index correctingDevices(const JobPlan& plan) {
    if (!plan.areStepsOnDevice) return 0;
    return plan.areViewsHeldThere ? 1 : std::ssize(plan.devices);
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
