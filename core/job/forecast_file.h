#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "core/plan/performance_model.h"

namespace gantry {

[[nodiscard]] nlohmann::ordered_json toJson(const Forecast& forecast);
/// where: for the error. @throws InputError
[[nodiscard]] Forecast parseForecast(const nlohmann::json& document, const std::string& where);

/// Keeps the forecast of a job in its folder, to be shown beside the measured times.
/// @throws InputError, ResourceError
/// Tests: tests/core/work/job_forecast_test.cpp
void writeForecast(const std::filesystem::path& folder, const Forecast& forecast);
/// Nothing if there is no readable forecast.
[[nodiscard]] std::optional<Forecast> readForecast(const std::filesystem::path& folder);

}  // namespace gantry
