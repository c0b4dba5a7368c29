#include "core/pipeline/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"

namespace gantry {

namespace {

constexpr std::array<std::string_view, kStageCount> kNames = {
    "load", "prepare", "filter", "gather", "upload", "back-project", "download", "reduce", "store"};

// As a JSON text: lanes of a file that was read may hold anything.
std::string quoted(const std::string& text) {
    using nlohmann::json;
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::string_view name(Stage stage) {
    return kNames[static_cast<std::size_t>(stage)];
}

Stage parseStage(std::string_view text) {
    const auto found = std::find(kNames.begin(), kNames.end(), text);
    if (found == kNames.end())
        throw InputError(fmt::format("'{}' is not a stage; known: {}", text,
                                     fmt::join(kNames.begin(), kNames.end(), ", ")));
    return static_cast<Stage>(found - kNames.begin());
}

TimelineSummary summarise(const std::vector<TimelineSpan>& spans) {
    TimelineSummary summary;
    if (spans.empty()) return summary;
    std::int64_t begin = spans.front().beginNs;
    std::int64_t end = spans.front().endNs;
    double sum = 0;
    for (const TimelineSpan& span : spans) {
        begin = std::min(begin, span.beginNs);
        end = std::max(end, span.endNs);
        const double seconds = 1e-9 * static_cast<double>(span.endNs - span.beginNs);
        auto& total = summary.stages[static_cast<std::size_t>(span.stage)];
        total.seconds += seconds;
        ++total.spans;
        total.bytes += span.bytes;
        total.updates += span.updates;
        sum += seconds;
    }
    summary.wallSeconds = 1e-9 * static_cast<double>(end - begin);
    summary.overlapFactor = summary.wallSeconds > 0 ? sum / summary.wallSeconds : 0;
    const auto longest =
        std::max_element(summary.stages.begin(), summary.stages.end(),
                         [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
    summary.boundingStage = static_cast<int>(longest - summary.stages.begin());
    return summary;
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
