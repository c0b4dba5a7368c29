#include "core/job/forecast_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/json_text.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFile = "forecast.json";

double duration(JsonFields& fields, Stage stage) {
    const std::string_view field = name(stage);
    const bool isOptional = isOfDevices(stage) || isOfRanks(stage) || stage == Stage::correct ||
                            stage == Stage::project;
    const double seconds = isOptional ? fields.number(field, 0) : fields.number(field);
    if (seconds < 0) fields.fail(field, "is {} s; it must be 0 or more", seconds);
    return seconds;
}

// The name must outlive the forecast that was read.
std::string_view longestStage(const Forecast& forecast) {
    return name(std::ranges::max_element(kForecastFields, [&](const ForecastField& a,
                                                              const ForecastField& b) {
                    return forecast.*a.seconds < forecast.*b.seconds;
                })->stage);
}

}  // namespace

Forecast parseForecast(const nlohmann::json& document, const std::string& where) {
    JsonFields fields(document, where);
    Forecast forecast;
    JsonFields stages = fields.object("seconds");
    for (const ForecastField& field : kForecastFields)
        forecast.*field.seconds = duration(stages, field.stage);
    forecast.wall = fields.number("wallSeconds");
    if (forecast.wall < 0)
        fields.fail("wallSeconds", "is {} s; it must be 0 or more", forecast.wall);
    const std::string bounding = fields.text("boundingStage", "");
    if (!bounding.empty())
        forecast.boundingStage = name(parseStage(bounding));
    else if (forecast.wall > 0)
        forecast.boundingStage = longestStage(forecast);
    forecast.devices = static_cast<int>(std::clamp<Index>(fields.integer("devices", 0), 0, 4096));
    forecast.devicesFilter = fields.boolean("devicesFilter", false);
    return forecast;
}

nlohmann::ordered_json toJson(const Forecast& forecast) {
    nlohmann::ordered_json seconds;
    for (const ForecastField& field : kForecastFields)
        seconds[name(field.stage)] = forecast.*field.seconds;
    return {{"seconds", seconds},
            {"wallSeconds", forecast.wall},
            {"boundingStage", forecast.boundingStage},
            {"devices", forecast.devices},
            {"devicesFilter", forecast.devicesFilter}};
}

void writeForecast(const fs::path& folder, const Forecast& forecast) {
    writeFileAtomically(folder / kFile, jsonText(toJson(forecast)) + "\n");
}

std::optional<Forecast> readForecast(const fs::path& folder) {
    try {
        const fs::path file = folder / kFile;
        return parseForecast(readJsonFile(file), file.string());
    } catch (const InputError&) {
        return std::nullopt;
    }
}

}  // namespace gantry
