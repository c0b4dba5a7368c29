#include "core/work/run_log.h"

#include <fmt/format.h>

#include <array>
#include <ctime>
#include <string>

#include "core/base/text.h"

namespace gantry {

namespace {

std::string clockText() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    ::localtime_r(&now, &local);
    std::array<char, 32> text{};
    const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local);
    return {text.data(), size};
}

}  // namespace

void logBegin(EventLog& events, const JobEvents& before) {
    if (before.work.runs().empty()) {
        events.log("info", fmt::format("Started {}.", clockText()));
        return;
    }
    if (before.state == JobState::running)
        events.log("info", fmt::format("Stopped unexpectedly after {} (killed, or the computer "
                                       "restarted).",
                                       formatDuration(before.work.seconds())));
    const TimeRange pause = events.work().pauses().back();
    events.log("info", fmt::format("Resumed {}, after a pause of {}.", clockText(),
                                   formatDuration(1e-9 * static_cast<double>(pause.lengthNs()))));
}

void logEndOfWork(EventLog& events, const char* how) noexcept {
    try {
        events.endWork();
        const WorkTime work = events.work();
        const double paused = work.pausedSeconds();
        const std::string pauses =
            paused > 0 ? fmt::format(", pauses of {} not counted", formatDuration(paused)) : "";
        events.log("info", fmt::format("{} {}{}.", how, formatDuration(work.seconds()), pauses));
    } catch (const std::exception&) {
    }
}

void logFigures(EventLog& events, const JobResult& result) noexcept {
    try {
        events.metric("wallSeconds", result.wallSeconds, "s");
        events.metric("cpuSeconds", result.cpuSeconds, "s");
        events.metric("overlapFactor", result.timeline.overlapFactor, "");
    } catch (const std::exception&) {
    }
}

void takeTimes(JobResult& result, const JobSpec& spec, EventLog& events) {
    const WorkTime work = events.work();
    result.wallSeconds = work.seconds();
    result.pausedSeconds = work.pausedSeconds();
    result.timeline = summarise(result.timeline.stages, result.wallSeconds);
    const Index views = spec.scan.geometry.views() - static_cast<Index>(result.leftOut.size());
    const auto times = static_cast<double>(std::max<std::size_t>(1, result.iterations.size()));
    const double updates =
        times * static_cast<double>(spec.volume.count()) * static_cast<double>(views);
    result.gups = updates / result.wallSeconds / static_cast<double>(1 << 30);
    Progress progress = {1, result.wallSeconds, 0, result.gups};
    progress.iteration = progress.iterations = std::ssize(result.iterations);
    events.progress(progress);
}

void logEnd(EventLog& events, JobState state, const std::exception* failure) noexcept {
    try {
        if (failure)
            events.state(state, messageOf(*failure), detailsOf(*failure));
        else
            events.state(state);
    } catch (const std::exception&) {
    }
}

void logClock(EventLog& events, const RankClock::Estimate& clock) {
    if (clock.errorNs > 0) events.clock(clock.aheadNs, clock.drift, clock.errorNs);
}

void tryAfterTheEnd(EventLog& events, const char* failed,
                    const std::function<void()>& work) noexcept {
    std::string failure;
    try {
        work();
        return;
    } catch (const std::exception& error) {
        failure = messageOf(error);
    }
    try {
        events.log("warning", fmt::format("{}: {}", failed, failure));
    } catch (const std::exception&) {
        // A log that cannot be written does not fail the job either.
    }
}

std::string engineOf(const JobPlan& plan, const std::optional<Checkpoint>& checkpoint) {
    std::string now = engineName(plan);
    if (!checkpoint || checkpoint->slabs.done.empty() || checkpoint->engine.empty()) return now;
    const std::string& before = checkpoint->engine;
    return before == now || before.ends_with(", then " + now)
               ? before
               : fmt::format("{}, then {}", before, now);
}

}  // namespace gantry
