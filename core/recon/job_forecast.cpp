#include "core/recon/job_forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/text.h"
#include "core/geometry/validate.h"
#include "core/io/open_sink.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFile = "forecast.json";

// Names of the stages, as the timeline has them, and their places in a forecast.
struct ForecastField {
    std::string_view name;
    double Forecast::*seconds;
};
constexpr std::array<ForecastField, 5> kStages = {{{"load", &Forecast::load},
                                                   {"prepare", &Forecast::prepare},
                                                   {"filter", &Forecast::filter},
                                                   {"back-project", &Forecast::backproject},
                                                   {"store", &Forecast::store}}};

double duration(JsonFields& fields, std::string_view name) {
    const double seconds = fields.number(name);
    if (seconds < 0) fields.fail(name, "is negative");
    return seconds;
}

Forecast parseForecast(const fs::path& path) {
    const nlohmann::json document = readJsonFile(path);
    JsonFields fields(document, path.string());
    Forecast forecast;
    JsonFields stages = fields.object("seconds");
    for (const ForecastField& stage : kStages)
        forecast.*stage.seconds = duration(stages, stage.name);
    forecast.wall = duration(fields, "wallSeconds");
    // The name has to outlive what was read.
    const auto longest = std::max_element(kStages.begin(), kStages.end(),
                                          [&](const ForecastField& a, const ForecastField& b) {
                                              return forecast.*a.seconds < forecast.*b.seconds;
                                          });
    forecast.boundingStage = longest->name;
    return forecast;
}

void requireDisk(const JobSpec& spec, Index needed, Index free) {
    if (needed <= free) return;
    throw ResourceError(
        fmt::format("{}: the volume takes {}, and {} are free on that disk; free space, choose "
                    "another place, fewer voxels or 8- or 16-bit output",
                    spec.output.path.string(), formatBytes(needed), formatBytes(free)));
}

void requireFolder(const fs::path& output) {
    fs::path place = output.has_filename() ? output : output.parent_path();
    place = place.has_parent_path() ? place.parent_path() : fs::path(".");
    if (!isFolder(place))
        throw InputError(
            fmt::format("{}: there is no such folder for the volume; make it, or "
                        "choose another place",
                        place.string()));
}

}  // namespace

void writeForecast(const fs::path& folder, const Forecast& forecast) {
    nlohmann::ordered_json seconds;
    for (const ForecastField& stage : kStages)
        seconds[stage.name] = forecast.*stage.seconds;
    const nlohmann::ordered_json document = {{"seconds", seconds}, {"wallSeconds", forecast.wall}};
    writeFileAtomically(folder / kFile, document.dump(2) + "\n");
}

std::optional<Forecast> readForecast(const fs::path& folder) {
    try {
        return parseForecast(folder / kFile);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

JobForecast forecast(const OpenScan& scan, const JobSpec& spec, const Backends& backends,
                     const std::optional<MachineRates>& known, const std::stop_token& stop) {
    throwOnError(validate(spec.volume, scan.description.geometry), scan.description.path.string());
    JobForecast result;
    result.engine = backends.cpuName;
    result.plan = planJob(scan, spec, *makeBackProjector(spec, backends), {});
    result.outputBytes = outputBytes(spec.output, spec.volume);
    requireFolder(spec.output.path);
    result.freeDiskBytes = freeDiskBytes(spec.output.path);
    requireDisk(spec, result.outputBytes, result.freeDiskBytes);
    result.rates = known ? *known : measureRates(scan, spec, result.plan, backends, stop);
    result.seconds = forecastJob(scan, spec, result.plan, result.rates);
    return result;
}

}  // namespace gantry
