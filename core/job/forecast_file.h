#pragma once

#include <filesystem>
#include <optional>

#include "core/plan/performance_model.h"

namespace gantry {

/// Keeps the forecast of a job in its folder, to be shown beside the measurement.
/// @throws InputError, ResourceError
/// Tests: tests/core/work/job_forecast_test.cpp
void writeForecast(const std::filesystem::path& folder, const Forecast& forecast);
/// Nothing where no readable forecast exists.
[[nodiscard]] std::optional<Forecast> readForecast(const std::filesystem::path& folder);

}  // namespace gantry
