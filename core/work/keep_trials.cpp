#include "core/work/keep_trials.h"

#include "core/base/error.h"
#include "core/job/forecast_file.h"
#include "core/machine/machine_rates.h"

namespace gantry {

void keepTrials(const std::filesystem::path& folder, const OpenScan& scan, const JobSpec& spec,
                const JobPlan& plan) {
    const std::optional<Forecast> trials = forecastOfTrials(scan, spec, plan);
    if (!trials || readForecast(folder)) return;
    try {
        writeForecast(folder, *trials);
    } catch (const Error&) {
    }
}

}  // namespace gantry
