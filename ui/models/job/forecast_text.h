#pragma once

#include <QColor>
#include <QString>
#include <vector>

#include "core/work/job_forecast.h"

namespace gantry {

/// One stage of a forecast, for its bar.
struct ForecastPart {
    QString name;  ///< "back-project"
    QColor colour;
    double seconds = 0;  ///< 0: negligible, or not known
};

/// The stages of the job, in order, whatever time they take.
/// Tests: tests/ui/models/job_forecast_text_test.cpp
[[nodiscard]] std::vector<ForecastPart> forecastParts(const Forecast& forecast);

/// "12.4 s"; below a hundredth: "< 0.01 s".
[[nodiscard]] QString secondsText(double seconds);
/// "12.4 s, bound by back-projection"
[[nodiscard]] QString forecastSentence(const Forecast& forecast);

/// "2.10 of 8.00 GB memory"; the last words name what is counted.
[[nodiscard]] QString memorySentence(const JobPlan& plan);
/// "22.0 of 125 GB GPU memory", for the fullest; empty if the CPU back-projects.
[[nodiscard]] QString deviceMemorySentence(const JobPlan& plan);
/// "NVIDIA H200 (tile, exact), which also filters"
[[nodiscard]] QString engineSentence(const JobForecast& forecast);
/// The sentence of the engine, and below it the plan's notes: a line each.
[[nodiscard]] QString withNotes(const QString& engine, const JobPlan& plan);
/// "In 3 passes over the views, 171 slices each"; empty if one pass suffices.
[[nodiscard]] QString passesSentence(const JobPlan& plan);
/// "537 MB of 37.2 GB free disk"
[[nodiscard]] QString diskSentence(Index neededBytes, Index freeBytes);

/// Two sizes in the unit of the larger one: "2.10 of 8.00 GB".
[[nodiscard]] QString bytesOfBytes(Index part, Index whole);

/// A host's limit: "2 h", "30 min".
[[nodiscard]] QString timeLimitText(int minutes);

}  // namespace gantry
