#include "core/machine/job_forecast.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/geometry/validate.h"
#include "core/io/volume/open_sink.h"
#include "core/plan/device_plan.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

void requireFolder(const fs::path& output) {
    fs::path place = output.has_filename() ? output : output.parent_path();
    place = place.has_parent_path() ? place.parent_path() : fs::path(".");
    if (!isFolder(place))
        throw InputError(fmt::format("The volume's folder {} does not exist. Create it, or choose "
                                     "another place.",
                                     place.string()),
                         {.code = ErrorCode::missingFile, .field = "output.path"});
}

// Earlier measurements of the plan's devices, in the plan's order, with the speeds that their
// kernels have in this job. None where one of them was not measured.
std::vector<DeviceRates> ratesOf(const JobPlan& plan, const std::vector<DeviceRates>& known) {
    std::vector<DeviceRates> result;
    for (const DevicePlan& device : plan.devices) {
        const auto found = std::find_if(
            known.begin(), known.end(),
            [&](const DeviceRates& measured) { return measured.device == device.device; });
        if (found == known.end()) return {};
        result.push_back(*found);
        result.back().updates = device.kernel.updatesPerSecond;
    }
    return result;
}

}  // namespace

JobForecast forecast(const OpenScan& scan, const JobSpec& spec, const Backends& backends,
                     const std::optional<MachineRates>& known, const std::stop_token& stop) {
    throwOnError(validate(spec.volume, scan.description.geometry), scan.description.path.string());
    requireFolder(spec.output.path);
    requireDisk(spec.output, spec.volume);
    JobForecast result;
    result.plan = planJob(scan, spec, backends, {});
    result.outputBytes = outputBytes(spec.output, spec.volume);
    result.freeDiskBytes = freeDiskBytes(spec.output.path);
    result.rates = known ? *known : measureRates(scan, spec, result.plan, backends, stop);
    if (known) result.rates.devices = ratesOf(result.plan, known->devices);
    result.plan = withFilterPlace(std::move(result.plan), scan, spec, backends, result.rates);
    result.engine = result.plan.devices.empty() ? backends.cpuName : engineName(result.plan);
    result.seconds = forecastJob(scan, spec, result.plan, result.rates);
    return result;
}

}  // namespace gantry
