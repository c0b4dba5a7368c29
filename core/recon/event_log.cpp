#include "core/recon/event_log.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/error.h"

namespace gantry {

using json = nlohmann::ordered_json;

namespace {

constexpr std::array<std::string_view, 5> kStates = {"queued", "running", "done", "failed",
                                                     "cancelled"};

std::int64_t systemNs() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

std::string line(const json& event) {
    return event.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

// Wall clock at the job's first start, from the first line of an earlier run; 0 if there is none.
std::int64_t epochOfFirstRun(std::string_view text) {
    const json first = json::parse(text.substr(0, text.find('\n')), nullptr, false);
    if (!first.is_object()) return 0;
    const auto epoch = first.find("epochNs");
    return epoch != first.end() && epoch->is_number_integer() ? epoch->get<std::int64_t>() : 0;
}

}  // namespace

std::string_view name(JobState state) {
    return kStates[static_cast<std::size_t>(state)];
}

EventLog::EventLog(const std::filesystem::path& path) {
    const bool again = std::filesystem::exists(path);
    m_file = File(path, again ? File::Mode::update : File::Mode::create);
    m_size = m_file.sizeBytes();
    m_originNs = nowNs();
    std::string text(static_cast<std::size_t>(std::min<Index>(m_size, 4096)), '\0');
    m_file.readAt(0, std::as_writable_bytes(std::span(text)));
    if (const std::int64_t epoch = epochOfFirstRun(text)) {
        // The same clock as the first run's, but never before it should the system's be set back.
        m_originNs -= std::max<std::int64_t>(0, systemNs() - epoch);
    } else if (m_size == 0) {
        append(line({{"event", "start"}, {"t", 0}, {"epochNs", systemNs()}}));
    }
    if (m_size > 0) {
        char last = '\n';
        m_file.readAt(m_size - 1, std::as_writable_bytes(std::span(&last, 1)));
        if (last != '\n') append("\n");
    }
}

void EventLog::append(const std::string& text) {
    const std::scoped_lock lock(m_mutex);
    m_file.writeAt(m_size, std::as_bytes(std::span(text.data(), text.size())));
    m_size += static_cast<Index>(text.size());
}

void EventLog::span(const TimelineSpan& span) {
    append(line({{"event", "span"},
                 {"rank", span.rank},
                 {"lane", span.lane},
                 {"stage", name(span.stage)},
                 {"beginNs", span.beginNs},
                 {"endNs", span.endNs},
                 {"slab", span.slab},
                 {"batch", span.batch},
                 {"bytes", span.bytes},
                 {"updates", span.updates}}));
}

void EventLog::progress(const Progress& progress) {
    append(line({{"event", "progress"},
                 {"t", nowNs() - m_originNs},
                 {"fraction", progress.fraction},
                 {"elapsedSeconds", progress.elapsedSeconds},
                 {"leftSeconds", progress.leftSeconds},
                 {"gups", progress.gups}}));
}

void EventLog::state(JobState state, std::string_view message) {
    append(line({{"event", "state"},
                 {"t", nowNs() - m_originNs},
                 {"state", name(state)},
                 {"message", message}}));
}

void EventLog::log(std::string_view level, std::string_view text) {
    append(line({{"event", "log"}, {"t", nowNs() - m_originNs}, {"level", level}, {"text", text}}));
}

void EventLog::metric(std::string_view name, double value, std::string_view unit) {
    append(line({{"event", "metric"},
                 {"t", nowNs() - m_originNs},
                 {"name", name},
                 {"value", value},
                 {"unit", unit}}));
}

void EventLog::preview(std::string_view file) {
    append(line({{"event", "preview"}, {"t", nowNs() - m_originNs}, {"file", file}}));
}

namespace {

TimelineSpan spanOf(const json& event) {
    TimelineSpan span;
    span.rank = event.at("rank").get<int>();
    span.lane = event.at("lane").get<std::string>();
    span.stage = parseStage(event.at("stage").get<std::string>());
    span.beginNs = event.at("beginNs").get<std::int64_t>();
    span.endNs = event.at("endNs").get<std::int64_t>();
    span.slab = event.value("slab", Index{0});
    span.batch = event.value("batch", Index{0});
    span.bytes = event.value("bytes", Index{0});
    span.updates = event.value("updates", Index{0});
    return span;
}

void take(const json& event, JobEvents& events) {
    const auto kind = event.at("event").get<std::string>();
    if (kind == "span") {
        events.spans.push_back(spanOf(event));
    } else if (kind == "progress") {
        events.progress = {event.at("fraction").get<double>(),
                           event.at("elapsedSeconds").get<double>(),
                           event.at("leftSeconds").get<double>(), event.at("gups").get<double>()};
    } else if (kind == "state") {
        const auto state = event.at("state").get<std::string>();
        const auto found = std::find(kStates.begin(), kStates.end(), state);
        if (found == kStates.end()) throw InputError("unknown state");
        events.state = static_cast<JobState>(found - kStates.begin());
        events.stateMessage = event.value("message", "");
    } else if (kind == "log") {
        events.logs.push_back(event.at("level").get<std::string>() + ": " +
                              event.at("text").get<std::string>());
    } else if (kind != "start" && kind != "metric" && kind != "preview") {
        ++events.skippedLines;
    }
}

}  // namespace

JobEvents readEvents(const std::filesystem::path& path) {
    constexpr Index kMostBytes = 4'000'000'000;
    const std::string text = readTextFile(path, kMostBytes);
    JobEvents events;
    std::string_view rest = text;
    while (true) {
        const std::size_t end = rest.find('\n');
        if (end == std::string_view::npos) break;
        const std::string_view one = rest.substr(0, end);
        rest.remove_prefix(end + 1);
        const json event = json::parse(one, nullptr, false);
        try {
            if (event.is_object())
                take(event, events);
            else if (!one.empty())
                ++events.skippedLines;
        } catch (const std::exception&) {
            ++events.skippedLines;
        }
    }
    return events;
}

}  // namespace gantry
