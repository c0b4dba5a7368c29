#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "app/session.h"
#include "app/terminal.h"
#include "app/timeline_json.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/recon/event_log.h"
#include "core/recon/report.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

struct Options {
    fs::path job;
    fs::path chrome;
    bool json = false;
};

// How busy one lane was from the run's begin to its end.
struct LaneUse {
    std::string name;
    double busySeconds = 0;
    double idleSeconds = 0;
    double longestGapSeconds = 0;
    double longestGapAtSeconds = 0;  ///< when it began
};

std::vector<LaneUse> laneUse(std::vector<TimelineSpan> spans) {
    std::sort(spans.begin(), spans.end(),
              [](const auto& a, const auto& b) { return a.beginNs < b.beginNs; });
    std::int64_t end = 0;
    for (const TimelineSpan& span : spans)
        end = std::max(end, span.endNs);
    const std::int64_t begin = spans.empty() ? 0 : spans.front().beginNs;
    std::map<std::pair<int, std::string>, std::pair<LaneUse, std::int64_t>> lanes;
    const auto gap = [&](LaneUse& lane, std::int64_t from, std::int64_t to) {
        const double seconds = 1e-9 * static_cast<double>(to - from);
        if (seconds <= 0) return;
        lane.idleSeconds += seconds;
        if (seconds <= lane.longestGapSeconds) return;
        lane.longestGapSeconds = seconds;
        lane.longestGapAtSeconds = 1e-9 * static_cast<double>(from - begin);
    };
    for (const TimelineSpan& span : spans) {
        auto [at, isNew] = lanes.try_emplace({span.rank, span.lane});
        auto& [lane, busyUntil] = at->second;
        if (isNew) {
            lane.name = span.rank > 0 ? fmt::format("rank {} {}", span.rank, span.lane) : span.lane;
            busyUntil = begin;
        }
        gap(lane, busyUntil, span.beginNs);
        lane.busySeconds += 1e-9 * static_cast<double>(span.endNs - span.beginNs);
        busyUntil = std::max(busyUntil, span.endNs);
    }
    std::vector<LaneUse> result;
    for (auto& [key, entry] : lanes) {
        gap(entry.first, entry.second, end);
        result.push_back(entry.first);
    }
    return result;
}

nlohmann::ordered_json toJson(const JobEvents& events, const TimelineSummary& summary,
                              const std::vector<LaneUse>& lanes) {
    nlohmann::ordered_json document = timelineJson(summary);
    document["state"] = std::string(name(events.state));
    document["spans"] = events.spans.size();
    document["skippedLines"] = events.skippedLines;
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const LaneUse& lane : lanes)
        list.push_back({{"lane", lane.name},
                        {"busySeconds", lane.busySeconds},
                        {"idleSeconds", lane.idleSeconds},
                        {"longestGapSeconds", lane.longestGapSeconds},
                        {"longestGapAtSeconds", lane.longestGapAtSeconds}});
    document["lanes"] = list;
    return document;
}

void print(const fs::path& job, const JobEvents& events, const TimelineSummary& summary,
           const std::vector<LaneUse>& lanes) {
    const std::string why = events.stateMessage.empty() ? "" : ": " + events.stateMessage;
    fmt::print("{}: {}{}\n", job.string(), name(events.state), why);
    if (events.spans.empty()) {
        fmt::print("  No stage has finished a batch yet.\n");
        return;
    }
    fmt::print("{}", textTable(stageTable(summary)));
    std::vector<std::vector<std::string>> rows = {
        {"Lane", "busy", "idle", "longest gap", "that began at"}};
    for (const LaneUse& lane : lanes)
        rows.push_back({lane.name, formatDuration(lane.busySeconds),
                        formatDuration(lane.idleSeconds), formatDuration(lane.longestGapSeconds),
                        formatDuration(lane.longestGapAtSeconds)});
    fmt::print("\n{}\n", textTable(rows));
    const auto bounding = static_cast<Stage>(summary.boundingStage);
    fmt::print("{}", textFields({{"wall time", formatDuration(summary.wallSeconds)},
                                 {"overlap factor", fmt::format("δ = {:.2f} (sum of the stages' "
                                                                "times / wall time)",
                                                                summary.overlapFactor)},
                                 {"longest stage", std::string(name(bounding))}}));
    if (events.skippedLines > 0)
        fmt::print("  {} lines of events.jsonl could not be read.\n", events.skippedLines);
}

int timeline(const Options& options) {
    if (!isFolder(options.job))
        throw InputError(fmt::format("{}: is not a job folder", options.job.string()));
    const JobEvents events = readEvents(options.job / "events.jsonl");
    const TimelineSummary summary = summarise(events.spans);
    const std::vector<LaneUse> lanes = laneUse(events.spans);
    if (options.json)
        fmt::print("{}\n", toJson(events, summary, lanes).dump(2));
    else
        print(options.job, events, summary, lanes);
    if (options.chrome.empty()) return 0;
    writeFileAtomically(options.chrome, toChromeTrace(events.spans));
    if (!options.json)
        fmt::print("  {} opens in chrome://tracing or ui.perfetto.dev\n", options.chrome.string());
    return 0;
}

}  // namespace

void addTimeline(Command program) {
    auto options = std::make_shared<Options>();
    Command command = program.command("timeline", "Tell where the time of a job went");
    command.required("job", options->job, "JOBDIR", "The job's folder");
    command.option("--chrome", options->chrome, "FILE",
                   "Write the spans as a trace for Chrome's or Perfetto's viewer");
    command.flag("--json", options->json, "Print one JSON document");
    command.examples(
        "  gantry timeline volume.mha.job\n"
        "  gantry timeline volume.mha.job --chrome trace.json");
    command.action([options](Session&) { return timeline(*options); });
}

}  // namespace gantry
