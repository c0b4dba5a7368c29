#include "core/recon/job_forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/geometry/validate.h"
#include "core/io/volume/open_sink.h"
#include "core/recon/device_plan.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFile = "forecast.json";

// The stages that a forecast tells of, and their places in it.
struct ForecastField {
    Stage stage;
    double Forecast::*seconds;
};
constexpr std::array<ForecastField, 7> kStages = {{{Stage::load, &Forecast::load},
                                                   {Stage::prepare, &Forecast::prepare},
                                                   {Stage::filter, &Forecast::filter},
                                                   {Stage::upload, &Forecast::upload},
                                                   {Stage::backproject, &Forecast::backproject},
                                                   {Stage::download, &Forecast::download},
                                                   {Stage::store, &Forecast::store}}};

// Whether only devices do it, so that a forecast of the CPU has none.
bool isOfDevices(Stage stage) {
    return stage == Stage::upload || stage == Stage::download;
}

double duration(JsonFields& fields, Stage stage) {
    const std::string_view field = name(stage);
    const double seconds = isOfDevices(stage) ? fields.number(field, 0) : fields.number(field);
    if (seconds < 0) fields.fail(field, fmt::format("is {} s; it must be 0 or more", seconds));
    return seconds;
}

// The name has to outlive what was read.
std::string_view longestStage(const Forecast& forecast) {
    return name(std::max_element(kStages.begin(), kStages.end(),
                                 [&](const ForecastField& a, const ForecastField& b) {
                                     return forecast.*a.seconds < forecast.*b.seconds;
                                 })
                    ->stage);
}

Forecast parseForecast(const fs::path& path) {
    const nlohmann::json document = readJsonFile(path);
    JsonFields fields(document, path.string());
    Forecast forecast;
    JsonFields stages = fields.object("seconds");
    for (const ForecastField& field : kStages)
        forecast.*field.seconds = duration(stages, field.stage);
    forecast.wall = fields.number("wallSeconds");
    if (forecast.wall < 0)
        fields.fail("wallSeconds", fmt::format("is {} s; it must be 0 or more", forecast.wall));
    const std::string bounding = fields.text("boundingStage", "");
    if (!bounding.empty())
        forecast.boundingStage = name(parseStage(bounding));
    else if (forecast.wall > 0)
        forecast.boundingStage = longestStage(forecast);
    forecast.devices = static_cast<int>(std::clamp<Index>(fields.integer("devices", 0), 0, 4096));
    forecast.devicesFilter = fields.boolean("devicesFilter", false);
    return forecast;
}

void requireDisk(const JobSpec& spec, Index needed, Index free) {
    if (needed <= free) return;
    throw ResourceError(
        fmt::format("There is not enough disk space for {}: the volume takes {}, and {} are free. "
                    "Free space, choose another place, fewer voxels or 8- or 16-bit output.",
                    spec.output.path.string(), formatBytes(needed), formatBytes(free)),
        {.code = ErrorCode::disk});
}

void requireFolder(const fs::path& output) {
    fs::path place = output.has_filename() ? output : output.parent_path();
    place = place.has_parent_path() ? place.parent_path() : fs::path(".");
    if (!isFolder(place))
        throw InputError(fmt::format("The volume's folder {} does not exist. Create it, or choose "
                                     "another place.",
                                     place.string()),
                         {.code = ErrorCode::missingFile, .field = "output.path"});
}

// What was measured of the plan's devices before, in the plan's order, with the speeds that their
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

double secondsOf(const Forecast& forecast, Stage stage) {
    for (const ForecastField& field : kStages)
        if (field.stage == stage) return forecast.*field.seconds;
    return 0;
}

double laneSecondsOf(const Forecast& forecast, Stage stage) {
    const bool onDevices = isOfDevices(stage) || stage == Stage::backproject ||
                           (stage == Stage::filter && forecast.devicesFilter);
    return secondsOf(forecast, stage) * (onDevices ? std::max(1, forecast.devices) : 1);
}

void writeForecast(const fs::path& folder, const Forecast& forecast) {
    nlohmann::ordered_json seconds;
    for (const ForecastField& field : kStages)
        seconds[name(field.stage)] = forecast.*field.seconds;
    const nlohmann::ordered_json document = {{"seconds", seconds},
                                             {"wallSeconds", forecast.wall},
                                             {"boundingStage", forecast.boundingStage},
                                             {"devices", forecast.devices},
                                             {"devicesFilter", forecast.devicesFilter}};
    writeFileAtomically(folder / kFile, jsonText(document) + "\n");
}

std::optional<Forecast> readForecast(const fs::path& folder) {
    try {
        return parseForecast(folder / kFile);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

void keepTrials(const fs::path& folder, const OpenScan& scan, const JobSpec& spec,
                const JobPlan& plan) {
    const std::optional<Forecast> trials = forecastOfTrials(scan, spec, plan);
    if (!trials || readForecast(folder)) return;
    try {
        writeForecast(folder, *trials);
    } catch (const Error&) {
    }
}

JobForecast forecast(const OpenScan& scan, const JobSpec& spec, const Backends& backends,
                     const std::optional<MachineRates>& known, const std::stop_token& stop) {
    throwOnError(validate(spec.volume, scan.description.geometry), scan.description.path.string());
    JobForecast result;
    result.plan = planJob(scan, spec, backends, {});
    result.outputBytes = outputBytes(spec.output, spec.volume);
    requireFolder(spec.output.path);
    result.freeDiskBytes = freeDiskBytes(spec.output.path);
    requireDisk(spec, result.outputBytes, result.freeDiskBytes);
    result.rates = known ? *known : measureRates(scan, spec, result.plan, backends, stop);
    if (known) result.rates.devices = ratesOf(result.plan, known->devices);
    result.plan = withFilterPlace(std::move(result.plan), scan, spec, backends, result.rates);
    result.engine = result.plan.devices.empty() ? backends.cpuName : engineName(result.plan);
    result.seconds = forecastJob(scan, spec, result.plan, result.rates);
    return result;
}

}  // namespace gantry
