#include "ui/models/job/forecast_text.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "ui/models/text.h"
#include "ui/models/timeline/stage_colours.h"

namespace gantry {

namespace {

// The activity of a stage, for "bound by ...".
QString activity(std::string_view stage) {
    if (stage == name(Stage::load)) return tr("reading the projections");
    if (stage == name(Stage::correct)) return tr("correcting the projections");
    if (stage == name(Stage::prepare)) return tr("preparing the projections");
    if (stage == name(Stage::filter)) return tr("filtering");
    if (stage == name(Stage::upload)) return tr("copying views to the GPU");
    if (stage == name(Stage::download)) return tr("copying slices from the GPU");
    if (stage == name(Stage::project)) return tr("projection");
    if (stage == name(Stage::backproject)) return tr("back-projection");
    if (stage == name(Stage::store)) return tr("storing the volume");
    return QString::fromUtf8(stage.data(), static_cast<qsizetype>(stage.size()));
}

// Whether a job has a stage, even if it takes no time.
bool hasStage(const Forecast& forecast, Stage stage) {
    switch (stage) {
        case Stage::load:
        case Stage::filter:
        case Stage::backproject:
        case Stage::store:
            return true;
        case Stage::prepare:  // GPUs do it while they filter
            return forecast.devices == 0;
        case Stage::upload:
        case Stage::download:
            return forecast.devices > 0;
        case Stage::correct:
        case Stage::gather:
        case Stage::project:
        case Stage::reduce:
            return false;
    }
    return false;
}

}  // namespace

std::vector<ForecastPart> forecastParts(const Forecast& forecast) {
    std::vector<ForecastPart> parts;
    for (int i = 0; i < kStageCount; ++i) {
        const auto stage = static_cast<Stage>(i);
        const double known = secondsOf(forecast, stage);
        const double seconds = std::isfinite(known) && known > 0 ? known : 0;
        if (seconds == 0 && !hasStage(forecast, stage)) continue;
        const std::string_view text = name(stage);
        parts.push_back({QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())),
                         stageColour(stage), seconds});
    }
    return parts;
}

QString secondsText(double seconds) {
    constexpr double kMin = 0.01;
    if (seconds >= 0 && seconds < kMin) return "< 0.01 s";
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

QString deviceMemorySentence(const JobPlan& plan) {
    if (plan.engine == EngineKind::cpu) return {};
    const auto share = [](const DevicePlan& device) {
        return static_cast<double>(device.bytes) / static_cast<double>(device.budgetBytes);
    };
    const auto fullest = std::ranges::max_element(
        plan.devices,
        [&](const DevicePlan& a, const DevicePlan& b) { return share(a) < share(b); });
    const QString text = bytesOfBytes(fullest->bytes, fullest->budgetBytes);
    return plan.devices.size() == 1 ? tr("%1 GPU memory").arg(text)
                                    : tr("%1 GPU memory at most").arg(text);
}

QString engineSentence(const JobForecast& forecast) {
    QString engine = QString::fromStdString(engineName(forecast.plan));
    if (forecast.plan.engine == EngineKind::cpu) return engine;
    return forecast.seconds.devicesFilter ? tr("%1, which also filters").arg(engine)
                                          : tr("%1; the CPU filters").arg(engine);
}

QString withNotes(const QString& engine, const JobPlan& plan) {
    QStringList lines;
    if (!engine.isEmpty()) lines.append(engine);
    for (const std::string& note : plan.notes)
        lines.append(QString::fromStdString(note));
    return lines.join('\n');
}

QString passesSentence(const JobPlan& plan) {
    const std::size_t passes = plan.passes.size();
    if (passes < 2) return {};
    Index max = 0;
    for (const SlabPlan& slab : plan.slabs)
        max = std::max(max, slab.slices.size());
    const QString text = tr("In %1 passes over the projections, up to %2 slices each%3");
    // GPUs make several passes even if all fits, so that finished slices are stored meanwhile.
    return text.arg(passes).arg(max).arg(
        plan.engine == EngineKind::cpu ? tr(", to stay within the memory.") : ".");
}

QString diskSentence(Index neededBytes, Index freeBytes) {
    return tr("%1 free disk").arg(bytesOfBytes(neededBytes, freeBytes));
}

QString timeLimitText(int minutes) {
    return minutes % 60 == 0 ? tr("%1 h").arg(minutes / 60) : tr("%1 min").arg(minutes);
}

}  // namespace gantry
