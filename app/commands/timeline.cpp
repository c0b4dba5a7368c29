#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/cli/timeline_json.h"
#include "app/commands/commands.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/io/input_files.h"
#include "core/job/event_log.h"
#include "core/job/forecast_file.h"
#include "core/job/job_directory.h"
#include "core/job/job_status.h"
#include "core/pipeline/lane_use.h"
#include "core/report/report.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

struct TimelineOptions {
    fs::path job;
    fs::path chrome;
    bool json = false;
};

// If rank 0 is the only one, its lanes are the job's and need no number.
std::string title(const LaneUse& lane, const std::map<int, std::string>& hosts) {
    if (const auto host = hosts.find(lane.rank); host != hosts.end())
        return fmt::format("rank {} on {}: {}", lane.rank, host->second, lane.lane);
    return lane.rank > 0 ? fmt::format("rank {} {}", lane.rank, lane.lane) : lane.lane;
}

// When a lane's longest gap began, in seconds that the job had run.
double beginSeconds(const LaneGap& gap, const TimelineStore& store) {
    return 1e-9 * static_cast<double>(store.workNs({store.beginNs(), gap.beginNs}));
}

nlohmann::ordered_json toJson(const JobEvents& events, const TimelineSummary& summary,
                              const TimelineStore& store, const std::vector<LaneUse>& lanes,
                              const std::optional<Forecast>& forecast) {
    nlohmann::ordered_json document = timelineJson(summary);
    document["state"] = std::string(name(events.state));
    document["spans"] = events.spans.size();
    document["skippedLines"] = events.skippedLines;
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const LaneUse& lane : lanes) {
        const LaneGap longest = lane.gaps.empty() ? LaneGap{} : lane.gaps.front();
        list.push_back(
            {{"lane", title(lane, events.hosts)},
             {"busySeconds", lane.busySeconds},
             {"idleSeconds", lane.idleSeconds},
             {"longestGapSeconds", longest.seconds()},
             {"longestGapAtSeconds", lane.gaps.empty() ? 0 : beginSeconds(longest, store)},
             {"longestGapCause", lane.gaps.empty() ? "" : describe(longest)}});
    }
    document["lanes"] = list;
    document["pausedSeconds"] = events.work.pausedSeconds();
    if (forecast && forecast->wall > 0) document["forecastWallSeconds"] = forecast->wall;
    return document;
}

void print(const fs::path& job, const JobEvents& events, const TimelineSummary& summary,
           const TimelineStore& store, const std::vector<LaneUse>& lanes) {
    const std::string why = events.stateMessage.empty() ? "" : ": " + events.stateMessage;
    show("{}: {}{}\n", job.string(), name(events.state), why);
    if (events.spans.empty()) {
        show("  No stage has finished a batch yet.\n");
        return;
    }
    const std::optional<Forecast> forecast = readForecast(job);
    show("{}", textTable(stageTable(summary, forecast)));
    TextRows rows = {{"Lane", "busy", "idle", "longest gap", "began at"}};
    std::vector<std::pair<std::string, std::string>> causes;
    for (const LaneUse& lane : lanes) {
        const LaneGap longest = lane.gaps.empty() ? LaneGap{} : lane.gaps.front();
        rows.push_back({title(lane, events.hosts), formatDuration(lane.busySeconds),
                        formatDuration(lane.idleSeconds), formatDuration(longest.seconds()),
                        lane.gaps.empty() ? "" : formatDuration(beginSeconds(longest, store))});
        if (!lane.gaps.empty()) causes.emplace_back(title(lane, events.hosts), describe(longest));
    }
    show("\n{}\n{}\n", textTable(rows), textFields(causes));
    std::vector<std::pair<std::string, std::string>> fields = {
        {"wall time", wallText(summary.wallSeconds, {}, events.work.pausedSeconds())}};
    if (forecast && forecast->wall > 0)
        fields.emplace_back("forecast",
                            fmt::format("{}, bound by {}", formatDuration(forecast->wall),
                                        forecast->boundingStage));
    fields.emplace_back("overlap", fmt::format("{:.2f} (sum of the stages' times / wall time)",
                                               summary.overlapFactor));
    fields.emplace_back("bound by", name(static_cast<Stage>(summary.boundingStage)));
    show("{}", textFields(fields));
    if (events.skippedLines > 0)
        show("  {} lines of events.jsonl could not be read.\n", events.skippedLines);
}

void requireApartFromJob(const TimelineOptions& options) {
    ReadFiles read;
    for (const fs::path& file : filesOfJob(options.job))
        read.add(file, "a file of the job");
    try {
        const JobSpec spec = readJobRequest(options.job);
        addScanFiles(read, spec.scan);
        addVolumeFiles(read, spec.output.path);
    } catch (const InputError&) {
        // Its events are shown whatever its request is like.
    }
    read.requireApart(options.chrome);
}

int timeline(const TimelineOptions& options) {
    if (!isFolder(options.job))
        throwError<InputError>("{} is not a job folder.", options.job.string());
    if (!options.chrome.empty()) requireApartFromJob(options);
    const JobEvents events = readEvents(options.job / "events.jsonl");
    TimelineStore store;
    store.append(events.spans);
    store.setWork(events.work);
    const TimelineSummary summary = store.summary();
    const bool isOver = events.state != JobState::queued && events.state != JobState::running;
    const std::vector<LaneUse> lanes = laneUse(store, isOver);
    if (options.json)
        showJson(toJson(events, summary, store, lanes, readForecast(options.job)));
    else
        print(options.job, events, summary, store, lanes);
    if (options.chrome.empty()) return 0;
    writeFileAtomically(options.chrome, toChromeTrace(events.spans));
    if (!options.json)
        show("  {} opens in chrome://tracing or ui.perfetto.dev\n", options.chrome.string());
    return 0;
}

}  // namespace

void addTimeline(Command program) {
    auto options = std::make_shared<TimelineOptions>();
    Command command = program.command("timeline", "Show where the time of a job went");
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
