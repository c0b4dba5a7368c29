#include "core/pipeline/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"

namespace gantry {

namespace {

constexpr std::array<std::string_view, kStageCount> kNames = {
    "load",    "correct",      "prepare",  "filter", "gather", "upload",
    "project", "back-project", "download", "reduce", "store"};

// The text as JSON: lanes read from a file may contain anything.
std::string quoted(const std::string& text) {
    using nlohmann::json;
    return shownJson(json(text), -1);
}

}  // namespace

std::string_view name(Stage stage) {
    return kNames[static_cast<std::size_t>(stage)];
}

Stage parseStage(std::string_view text) {
    const auto found = std::ranges::find(kNames, text);
    if (found == kNames.end())
        throwError<InputError>("'{}' is not a stage. The stages are {}.", text,
                               fmt::join(kNames.begin(), kNames.end(), ", "));
    return static_cast<Stage>(found - kNames.begin());
}

bool isPlausible(const TimelineSpan& span) {
    constexpr std::int64_t kLatestNs = 100'000'000'000'000'000;
    constexpr Index kMax = 1'000'000'000'000'000;
    const auto fits = [](Index value) { return value >= 0 && value <= kMax; };
    return span.rank >= 0 && span.beginNs >= 0 && span.beginNs <= span.endNs &&
           span.endNs <= kLatestNs && fits(span.bytes) && fits(span.updates);
}

std::string formatSpanTime(double seconds) {
    const auto digits = [](double value, const char* unit) {
        const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
        return fmt::format("{:.{}f} {}", value, decimals, unit);
    };
    if (seconds < 999.5e-9) return fmt::format("{:.0f} ns", 1e9 * seconds);
    if (seconds < 999.5e-6) return digits(1e6 * seconds, "µs");
    if (seconds < 99.95e-3) return digits(1e3 * seconds, "ms");
    return formatDuration(seconds);
}

StageTotal& StageTotal::operator+=(const StageTotal& other) {
    constexpr Index kMax = std::numeric_limits<Index>::max();
    const auto add = [](Index& sum, Index more) { sum = more > kMax - sum ? kMax : sum + more; };
    seconds += other.seconds;
    add(spans, other.spans);
    add(bytes, other.bytes);
    add(updates, other.updates);
    return *this;
}

void addLane(StageTotals& all, const StageTotals& ofLane) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] += ofLane[i];
        all[i].laneSeconds = std::max(all[i].laneSeconds, ofLane[i].seconds);
    }
}

TimelineSummary summarise(const StageTotals& stages, double wallSeconds) {
    TimelineSummary summary;
    summary.stages = stages;
    summary.wallSeconds = wallSeconds;
    double sum = 0;
    Index spans = 0;
    for (const StageTotal& stage : stages) {
        sum += stage.seconds;
        spans += stage.spans;
    }
    if (spans == 0) return summary;
    summary.overlapFactor = wallSeconds > 0 ? sum / wallSeconds : 0;
    const auto longest = std::ranges::max_element(
        stages, [](const auto& a, const auto& b) { return a.laneSeconds < b.laneSeconds; });
    summary.boundingStage = static_cast<int>(longest - stages.begin());
    return summary;
}

TimelineSummary summarise(const std::vector<TimelineSpan>& spans) {
    std::map<std::pair<int, std::string_view>, StageTotals> lanes;
    std::int64_t begin = std::numeric_limits<std::int64_t>::max();
    std::int64_t end = 0;
    for (const TimelineSpan& span : spans) {
        if (!isPlausible(span)) continue;
        begin = std::min(begin, span.beginNs);
        end = std::max(end, span.endNs);
        const double seconds = 1e-9 * static_cast<double>(span.endNs - span.beginNs);
        lanes[{span.rank, span.lane}][static_cast<std::size_t>(span.stage)] +=
            StageTotal{seconds, 1, span.bytes, span.updates};
    }
    StageTotals stages{};
    for (const auto& [lane, totals] : lanes)
        addLane(stages, totals);
    return summarise(stages, end > begin ? 1e-9 * static_cast<double>(end - begin) : 0);
}

std::string toChromeTrace(const std::vector<TimelineSpan>& spans) {
    // Trace viewers number threads; lanes are numbered in the order of their first span.
    std::map<std::pair<int, std::string>, int> lanes;
    std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
    for (const TimelineSpan& span : spans) {
        const auto [lane, isNew] =
            lanes.try_emplace({span.rank, span.lane}, static_cast<int>(lanes.size()) + 1);
        if (isNew)
            text += fmt::format(
                "{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{},\"tid\":{},"
                "\"args\":{{\"name\":{}}}}},\n",
                span.rank, lane->second, quoted(span.lane));
        text += fmt::format(
            "{{\"ph\":\"X\",\"name\":\"{}\",\"cat\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{:.3f},"
            "\"dur\":{:.3f},\"args\":{{\"slab\":{},\"batch\":{},\"bytes\":{},\"updates\":{}}}}},\n",
            name(span.stage), name(span.stage), span.rank, lane->second,
            1e-3 * static_cast<double>(span.beginNs),
            1e-3 * static_cast<double>(span.endNs - span.beginNs), span.slab, span.batch,
            span.bytes, span.updates);
    }
    if (text.ends_with(",\n")) text.resize(text.size() - 2);
    return text + "\n]}\n";
}

}  // namespace gantry
