#include "ui/models/timeline/timeline_hit.h"

#include <QObject>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "ui/models/text.h"
#include "ui/models/timeline/stage_colours.h"

namespace gantry {

namespace {

QString swatch(Stage stage) {
    return QString("<span style='color:%1'>■</span>&nbsp;").arg(stageColour(stage).name());
}

QString durationText(std::int64_t ns) {
    return QString::fromStdString(formatSpanTime(1e-9 * static_cast<double>(ns)));
}

QStringList linesOf(const LaneSpan& span) {
    const std::int64_t length = span.endNs - span.beginNs;
    const StageTotal total{1e-9 * static_cast<double>(length), 1, span.bytes, span.updates};
    QStringList lines;
    lines << QString("<b>%1%2</b>&nbsp; %3")
                 .arg(swatch(span.stage), stageTitle(span.stage),
                      QObject::tr("slab %1, batch %2").arg(span.slab).arg(span.batch));
    lines << QObject::tr("%1 from %2").arg(durationText(length), momentText(span.beginNs, length));
    QStringList work;
    if (span.bytes > 0) work << QString::fromStdString(formatBytes(span.bytes));
    if (const QString rate = rateText(total); !rate.isEmpty()) work << rate;
    if (!work.isEmpty()) lines << work.join(" · ");
    return lines;
}

QStringList linesOf(const LaneGap& gap) {
    const std::int64_t length = gap.endNs - gap.beginNs;
    const QString colour = gap.stage ? swatch(*gap.stage) : QString();
    return {QObject::tr("<b>Idle %1</b> from %2")
                .arg(durationText(length), momentText(gap.beginNs, length)),
            colour + QString::fromStdString(describe(gap)).toHtmlEscaped()};
}

QStringList linesOf(const TimelinePause& pause) {
    return {QString("<b>%1</b>").arg(pauseText(pause.seconds())),
            QObject::tr("The job was interrupted here and resumed later."),
            QObject::tr("The time between is not part of the wall time.")};
}

QStringList linesOf(const TimelineHit::Folded& folded) {
    QStringList lines{QObject::tr("<b>%1 spans</b> in %2")
                          .arg(folded.spans)
                          .arg(durationText(folded.range.lengthNs()))};
    float idle = 1;
    for (std::size_t i = 0; i < folded.shares.size(); ++i) {
        const auto stage = static_cast<Stage>(i);
        idle -= folded.shares[i];
        if (folded.shares[i] > 0.005F)
            lines << QString("%1%2 %3 %")
                         .arg(swatch(stage), stageTitle(stage))
                         .arg(std::lround(100 * folded.shares[i]));
    }
    if (idle > 0.005F) lines << QObject::tr("idle %1 %").arg(std::lround(100 * idle));
    lines << QObject::tr("Zoom in to see each.");
    return lines;
}

}  // namespace

TimelineHit hitAt(const TimelineSnapshot& snapshot, std::size_t lane, std::size_t row,
                  const TimeAxis& axis, double x) {
    TimelineHit hit;
    hit.lane = lane;
    const TimelineStore& store = snapshot.store;
    for (const TimelinePause& pause : snapshot.pauses)
        if (std::abs(axis.xOf(pause.atNs) - x) <= kPauseWidth / 2) hit.pause = pause;
    if (hit.pause) return hit;
    if (lane >= store.lanes().size() || row >= store.lanes()[lane].rows.size()) return hit;
    const SpanRow& spans = store.lanes()[lane].rows[row];
    const TimeRange pixel{axis.nsAt(std::floor(x)), axis.nsAt(std::floor(x) + 1)};
    const Index first = spans.firstEndingAfter(pixel.beginNs);
    Index end = spans.firstEndingAfter(pixel.endNs);
    if (end < spans.size() && spans[end].beginNs < pixel.endNs) ++end;
    // Two that meet in a pixel are distinguished by the time; more are not.
    if (end - first > 2) {
        hit.folded = TimelineHit::Folded{
            end - first, pixel, fold(spans, TimeAxis{pixel.beginNs, axis.nsPerPixel}, 1)[0]};
        return hit;
    }
    const std::int64_t ns = axis.nsAt(x);
    const Index at = spans.firstEndingAfter(ns);
    if (at < spans.size() && spans[at].beginNs <= ns)
        hit.span = spans[at];
    else if (row == 0)
        hit.gap = gapAt(store, store.lanes()[lane], ns, snapshot.isOver);
    return hit;
}

QString laneTitle(const TimelineSnapshot& snapshot, int rank, const std::string& lane) {
    const TimelineStore& store = snapshot.store;
    const std::map<int, std::string>& hosts = snapshot.hosts;
    const QString name = QString::fromStdString(lane);
    const bool oneRank =
        store.empty() || (store.lanes().front().rank == rank && store.lanes().back().rank == rank);
    if (oneRank) return QString::fromStdString(lane);
    const auto host = hosts.find(rank);
    const bool onOneMachine = std::ranges::all_of(
        hosts, [&](const auto& each) { return each.second == hosts.begin()->second; });
    if (onOneMachine || host == hosts.end()) return QObject::tr("rank %1 · %2").arg(rank).arg(name);
    return QObject::tr("rank %1 · %2 · %3")
        .arg(rank)
        .arg(QString::fromStdString(host->second), name);
}

QString stageTitle(Stage stage) {
    const std::string_view text = name(stage);
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString rateText(const StageTotal& total) {
    if (!(total.seconds > 0)) return {};
    if (total.updates > 0) {
        const double gups =
            static_cast<double>(total.updates) / total.seconds / static_cast<double>(1 << 30);
        return (gups >= 100 ? QString::number(gups, 'f', 0) : numberText(gups, 3)) + " GUPS";
    }
    const double bytes = static_cast<double>(total.bytes) / total.seconds;
    constexpr double kMaxBytes = 1e18;
    if (!(bytes >= 1) || bytes > kMaxBytes) return {};
    return QString::fromStdString(formatBytes(static_cast<Index>(bytes))) + "/s";
}

QString momentText(std::int64_t ns, std::int64_t lengthNs) {
    // Resolves a hundredth of the length, between 10 ms and 1 ns.
    const double seconds = 1e-9 * static_cast<double>(std::max<std::int64_t>(lengthNs, 1));
    const int decimals = std::clamp(2 - static_cast<int>(std::floor(std::log10(seconds))), 2, 9);
    return QString::number(1e-9 * static_cast<double>(ns), 'f', decimals) + " s";
}

QString pauseText(double seconds) {
    constexpr double kMinute = 60;
    const bool isInMinutes = seconds >= 5 * kMinute && seconds < 59.5 * kMinute;
    const QString length = isInMinutes ? QObject::tr("%1 min").arg(std::lround(seconds / kMinute))
                                       : QString::fromStdString(formatDuration(seconds));
    return QObject::tr("paused %1").arg(length);
}

QString describe(const TimelineSnapshot& snapshot, const TimelineHit& hit) {
    if (hit.isNothing()) return {};
    if (hit.pause)
        return "<div style='white-space:nowrap'>" + linesOf(*hit.pause).join("<br>") + "</div>";
    QStringList lines = hit.span  ? linesOf(*hit.span)
                        : hit.gap ? linesOf(*hit.gap)
                                  : linesOf(*hit.folded);
    const TimelineLane& lane = snapshot.store.lanes()[hit.lane];
    lines << QObject::tr("lane %1").arg(laneTitle(snapshot, lane.rank, lane.name).toHtmlEscaped());
    return "<div style='white-space:nowrap'>" + lines.join("<br>") + "</div>";
}

}  // namespace gantry
