#include "ui/models/forecast_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"
#include "ui/models/stage_colours.h"

namespace gantry {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Forecast", text);
}

// What a stage does, for "bound by ...".
QString activity(std::string_view stage) {
    if (stage == name(Stage::load)) return tr("reading the projections");
    if (stage == name(Stage::prepare)) return tr("preparing the projections");
    if (stage == name(Stage::filter)) return tr("filtering");
    if (stage == name(Stage::backproject)) return tr("back-projection");
    if (stage == name(Stage::store)) return tr("storing the volume");
    return QString::fromUtf8(stage.data(), static_cast<qsizetype>(stage.size()));
}

}  // namespace

std::vector<ForecastPart> forecastParts(const Forecast& forecast) {
    const std::array<std::pair<Stage, double>, 5> stages = {
        {{Stage::load, forecast.load},
         {Stage::prepare, forecast.prepare},
         {Stage::filter, forecast.filter},
         {Stage::backproject, forecast.backproject},
         {Stage::store, forecast.store}}};
    std::vector<ForecastPart> parts;
    for (const auto& [stage, seconds] : stages)
        if (std::isfinite(seconds) && seconds > 0) {
            const std::string_view text = name(stage);
            parts.push_back({QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())),
                             stageColour(stage), seconds});
        }
    return parts;
}

QString secondsText(double seconds) {
    constexpr double kLeast = 0.01;
    if (seconds >= 0 && seconds < kLeast) return "< 0.01 s";
    return QString::fromStdString(formatDuration(seconds));
}

QString forecastSentence(const Forecast& forecast) {
    QString time = secondsText(forecast.wall);
    if (forecast.boundingStage.empty()) return time;
    return tr("%1, bound by %2").arg(time, activity(forecast.boundingStage));
}

QString bytesOfBytes(Index part, Index whole) {
    const QString all = QString::fromStdString(formatBytes(whole));
    QString some = QString::fromStdString(formatBytes(part));
    const QString unit = all.section(' ', -1);
    if (some.section(' ', -1) == unit) some = some.section(' ', 0, 0);
    return tr("%1 of %2").arg(some, all);
}

QString memorySentence(const JobPlan& plan) {
    return tr("%1 memory").arg(bytesOfBytes(plan.hostBytes, plan.budgetBytes));
}

QString passesSentence(const JobPlan& plan) {
    if (plan.slabs.size() < 2) return {};
    Index most = 0;
    for (const SlabPlan& slab : plan.slabs)
        most = std::max(most, slab.slices.size());
    return tr("In %1 passes over the projections, up to %2 slices each, to stay within the memory.")
        .arg(plan.slabs.size())
        .arg(most);
}

QString diskSentence(Index neededBytes, Index freeBytes) {
    return tr("%1 free disk").arg(bytesOfBytes(neededBytes, freeBytes));
}

}  // namespace gantry
