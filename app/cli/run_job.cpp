#include "app/cli/run_job.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/terminal.h"
#include "app/cli/timeline_json.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/this_machine.h"
#include "core/job/forecast_file.h"
#include "core/job/job_status.h"
#include "core/job/provenance.h"
#include "core/report/report.h"
#include "core/work/iteration_state.h"

namespace gantry {

namespace {

nlohmann::ordered_json toJson(const JobDirectory& job, const JobResult& result) {
    const InvalidPixels& invalid = result.invalidPixels;
    nlohmann::ordered_json leftOut = nlohmann::ordered_json::array();
    for (const LeftOutView& view : result.leftOut)
        leftOut.push_back(view.view);
    nlohmann::ordered_json iterations = nlohmann::ordered_json::array();
    for (const IterationFigures& one : result.iterations)
        iterations.push_back(gantry::toJson(one));
    return {{"volume", job.spec().output.path.string()},
            {"job", job.folder().string()},
            {"engine", result.engine},
            {"notes", result.notes},
            {"viewsLeftOut", leftOut},
            {"invalidPixels",
             {{"pixels", invalid.pixels},
              {"zero", invalid.zero},
              {"negative", invalid.negative},
              {"saturated", invalid.saturated},
              {"notFinite", invalid.notFinite},
              {"bad", invalid.bad}}},
            {"voxels", job.spec().volume.voxels},
            {"pitchMm", job.spec().volume.pitchMm},
            {"centerMm", job.spec().volume.centerMm},
            {"smallest", result.smallest},
            {"largest", result.largest},
            {"iterations", iterations},
            {"slabs", result.slabs},
            {"slabsResumed", result.slabsResumed},
            {"wallSeconds", result.wallSeconds},
            {"pausedSeconds", result.pausedSeconds},
            {"cpuSeconds", result.cpuSeconds},
            {"gups", result.gups},
            {"peakMemoryBytes", peakResidentBytes()},
            {"timeline", timelineJson(result.timeline)}};
}

void print(const JobDirectory& job, const JobResult& result) {
    const JobSpec& spec = job.spec();
    const auto [nX, nY, nZ] = spec.volume.voxels;
    const std::optional<Forecast> forecast = readForecast(job.folder());
    show("What was applied\n");
    for (const std::string& note : result.notes)
        show("  {}\n", note);
    if (result.slabsResumed > 0)
        show("  Resumed from the interrupted run with {} of {} slabs finished.\n",
             result.slabsResumed, result.slabs);
    else if (result.slabs > 1)
        show("  Made in {} slabs.\n", result.slabs);
    show("Stages\n{}", textTable(stageTable(result.timeline, forecast)));
    show("Overall\n{}",
         textFields(
             {{"engine", result.engine},
              {"volume",
               fmt::format("{} × {} × {} voxels of {:.4g} × {:.4g} × {:.4g} mm", nX, nY, nZ,
                           spec.volume.pitchMm[0], spec.volume.pitchMm[1], spec.volume.pitchMm[2])},
              {"attenuation", fmt::format("{:.4g} to {:.4g} /mm", result.smallest, result.largest)},
              {"wall time", wallText(result.wallSeconds, forecast, result.pausedSeconds)},
              {"CPU time", formatDuration(result.cpuSeconds) +
                               (result.pausedSeconds > 0 ? ", since it was resumed" : "")},
              {"overlap", fmt::format("{:.2f}", result.timeline.overlapFactor)},
              {"speed", fmt::format("{:.2f} GUPS", result.gups)},
              {"peak memory", formatBytes(peakResidentBytes())}}));
    show("Results\n{}", textFields({{"volume", spec.output.path.string()},
                                    {"record", provenancePath(spec.output.path).string()},
                                    {"report", job.file("report.html").string()},
                                    {"timeline", job.file("events.jsonl").string()}}));
}

// What an interrupted job has kept, and how it goes on.
std::string keptText(const JobDirectory& job) {
    const std::string command = fmt::format("`gantry worker {}`", job.folder().string());
    if (!readJobStatus(job.folder()).canResume)
        return fmt::format("Nothing of it is kept yet; {} begins it again.", command);
    const std::optional<IterationState> state = readIterationState(job);
    return fmt::format("{} kept; {} goes on from there.",
                       !state ? "Its finished slabs are"
                       : state->iteration == 1
                           ? "Its first iteration is"
                           : fmt::format("Its first {} iterations are", state->iteration),
                       command);
}

int runAndPrint(const JobDirectory& job, Session& session, bool json, Purpose purpose,
                JobRanks& ranks) {
    ProgressLine progress("Reconstructing", json || !ranks.isFirst());
    const RunContext context = {session.backends(), session.stop(),
                                [&](const Progress& state) { progress.update(state); }, purpose};
    JobResult result;
    try {
        result = runJob(job, context, ranks);
    } catch (const Cancelled&) {
        progress.end();
        if (ranks.isFirst() && purpose == Purpose::run) show(stderr, "gantry: {}\n", keptText(job));
        throw;
    }
    progress.end();
    if (!ranks.isFirst()) return 0;
    if (json)
        showJson(toJson(job, result));
    else
        print(job, result);
    return 0;
}

}  // namespace

int runAndPrint(const JobDirectory& job, Session& session, bool json, Purpose purpose) {
    JobRanks alone;
    return runAndPrint(job, session, json, purpose, alone);
}

int runAndPrint(const JobDirectory& job, Session& session, bool json, JobRanks& ranks) {
    return runAndPrint(job, session, json, Purpose::run, ranks);
}

}  // namespace gantry
