#include "core/work/job_forecast.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/geometry/check/validate.h"
#include "core/io/volume/open_sink.h"
#include "core/plan/plan_forecast.h"
#include "core/scan/corrected_scan.h"
#include "core/work/volume_store.h"

namespace gantry {

namespace {

void requireFolder(const std::filesystem::path& folder) {
    if (!isFolder(folder))
        throw InputError(fmt::format("The volume's folder {} does not exist. Create it, or choose "
                                     "another place.",
                                     folder.string()),
                         {.code = ErrorCode::missingFile, .field = "output.path"});
}

}  // namespace

JobForecast forecastJob(const OpenScan& opened, const JobSpec& asked, const Machine& machine,
                        const Facts& facts) {
    JobSpec spec = asked;
    settleMethod(spec);
    throwOnError(validate(spec.volume, opened.description.geometry),
                 opened.description.path.string());
    const OpenScan scan =
        opened.uncorrected ? opened : corrected(opened, spec.corrections.withoutMeasured());
    const PlanInputs inputs = {scan, spec, machine, facts, sinkNeedsOf(spec)};
    requireFolder(inputs.sink.folder);
    requireDisk(spec.output, spec.volume, machine.freeDisk);
    JobForecast result;
    result.plan = planJob(inputs);
    result.rates = ratesOf(inputs, result.plan);
    result.seconds = forecast(inputs, result.plan);
    if (isStorageUntested(inputs, result.plan))
        result.plan.notes.emplace_back(
            "The disk has no room for the test of its speed, 32 MB: the forecast does not include "
            "the time to store the volume.");
    result.outputBytes = inputs.sink.outputBytes;
    result.freeDiskBytes = machine.freeDisk(spec.output.path);
    return result;
}

}  // namespace gantry
