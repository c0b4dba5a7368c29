#include <gantry/plan.h>

#include "app/api/prepared_run.h"

namespace gantry {

PlanForecast planReconstruction(const Scan& scan, const ReconstructionRequest& request,
                                const Engines& engines, const std::optional<OutputFormat>& output,
                                const std::stop_token& stop) {
    const PreparedRun run = prepareRun(scan, request, engines, output, Purpose::forecast, stop);
    const JobPlan& plan = run.planned.plan;
    const Forecast& forecast = run.planned.forecast;
    PlanForecast result;
    result.volume = run.spec.volume;
    result.engine = engineName(plan);
    for (const SlabPlan& slab : plan.slabs)
        result.slabs.push_back(slab.slices);
    result.memoryBytes = plan.hostBytes;
    if (output) result.outputBytes = outputBytes(*output, run.spec.volume);
    for (const ForecastField& field : kForecastFields)
        if (const double seconds = forecast.*field.seconds; seconds > 0)
            result.stages.push_back({std::string(name(field.stage)), seconds});
    result.seconds = forecast.wall;
    result.boundingStage = forecast.boundingStage;
    result.notes = plan.notes;
    return result;
}

}  // namespace gantry
