#include "core/job/event_log.h"
#include "core/base/system_fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/base/throw_error.h"
#include "core/job/event_tail.h"

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
    return shownJson(event, -1) + "\n";
}

std::string lineOf(const TimelineSpan& span) {
    return line({{"event", "span"},
                 {"rank", span.rank},
                 {"lane", span.lane},
                 {"stage", name(span.stage)},
                 {"beginNs", span.beginNs},
                 {"endNs", span.endNs},
                 {"slab", span.slab},
                 {"batch", span.batch},
                 {"bytes", span.bytes},
                 {"updates", span.updates}});
}

// Wall clock at the job's first start, from the first line of an earlier run; 0 if there is none.
std::int64_t epochOfFirstRun(std::string_view text) {
    const json first = ownJson(text.substr(0, text.find('\n')));
    if (!first.is_object()) return 0;
    const auto epoch = first.find("epochNs");
    return epoch != first.end() && epoch->is_number_integer() ? epoch->get<std::int64_t>() : 0;
}

}  // namespace

std::string_view name(JobState state) {
    return kStates[static_cast<std::size_t>(state)];
}

EventLog::EventLog(const std::filesystem::path& path)
    : EventLog(path, pathExists(path) ? readEvents(path) : JobEvents()) {}

EventLog::EventLog(const std::filesystem::path& path, const JobEvents& before)
    : m_work(before.work) {
    open(path);
    // The earlier run has ended.
    m_work.breakOff();
}

EventLog::EventLog(const std::filesystem::path& path, std::int64_t originNs) {
    open(path);
    m_originNs = originNs;
}

void EventLog::open(const std::filesystem::path& path) {
    const bool again = pathExists(path);
    m_file = File(path, again ? File::Mode::update : File::Mode::create);
    m_size = m_file.sizeBytes();
    m_originNs = nowNs();
    std::string text(std::min<Index>(m_size, 4096), '\0');
    m_file.readAt(0, std::as_writable_bytes(std::span(text)));
    if (const std::int64_t epoch = epochOfFirstRun(text)) {
        // The same clock as the first run's, but never before it, even if the system's clock was
        // set back.
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
    m_size += std::ssize(text);
}

void EventLog::span(const TimelineSpan& span) {
    append(lineOf(span));
}

void EventLog::progress(const Progress& progress) {
    json event = {{"event", "progress"},
                  {"t", now()},
                  {"fraction", progress.fraction},
                  {"elapsedSeconds", progress.elapsedSeconds},
                  {"leftSeconds", progress.leftSeconds},
                  {"gups", progress.gups}};
    if (progress.iterations > 0) {
        event["iteration"] = progress.iteration;
        event["iterations"] = progress.iterations;
    }
    append(line(event));
}

void EventLog::iteration(const IterationFigures& figures) {
    append(line({{"event", "iteration"},
                 {"t", now()},
                 {"iteration", figures.iteration},
                 {"residual", figures.residual},
                 {"change", figures.change},
                 {"seconds", figures.seconds}}));
}

std::int64_t EventLog::now() const {
    return nowNs() - m_originNs;
}

void EventLog::state(JobState state, std::string_view message, const ErrorDetails& details) {
    const bool isEnd = state != JobState::queued && state != JobState::running;
    if (isEnd) endWork();
    const std::int64_t moment = now();
    json event = {{"event", "state"}, {"t", moment}, {"state", name(state)}, {"message", message}};
    if (details.code != ErrorCode::none) event["code"] = name(details.code);
    if (!details.field.empty()) event["field"] = details.field;
    {
        const std::scoped_lock lock(m_workMutex);
        if (state == JobState::running) m_work.begin(moment);
        // This applies also if another process than the run's worker ends it.
        if (isEnd && !m_work.runs().empty()) event["t"] = m_work.runs().back().endNs;
        if (isEnd) event["workSeconds"] = m_work.seconds();
    }
    append(line(event));
}

void EventLog::endWork() {
    const std::scoped_lock lock(m_workMutex);
    m_work.end(now());
}

WorkTime EventLog::work() {
    const std::scoped_lock lock(m_workMutex);
    m_work.seen(now());
    return m_work;
}

void EventLog::log(std::string_view level, std::string_view text) {
    append(line({{"event", "log"}, {"t", now()}, {"level", level}, {"text", text}}));
}

void EventLog::metric(std::string_view name, double value, std::string_view unit) {
    append(line(
        {{"event", "metric"}, {"t", now()}, {"name", name}, {"value", value}, {"unit", unit}}));
}

void EventLog::preview(std::string_view file) {
    append(line({{"event", "preview"}, {"t", now()}, {"file", file}}));
}

void writeSimulatedEvents(const std::filesystem::path& folder,
                          const std::vector<TimelineSpan>& spans, double seconds) {
    const std::filesystem::path path = folder / "events.jsonl";
    if (pathExists(path))
        throwError<InputError>("{} is there already; give a folder without one.", path.string());
    std::string text =
        line({{"event", "start"}, {"t", 0}, {"epochNs", systemNs()}}) +
        line({{"event", "state"}, {"t", 0}, {"state", name(JobState::running)}, {"message", ""}});
    for (const TimelineSpan& span : spans)
        text += lineOf(span);
    text += line({{"event", "state"},
                  {"t", std::llround(1e9 * seconds)},
                  {"state", name(JobState::done)},
                  {"message", ""},
                  {"workSeconds", seconds}});
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throwSystemFault(folder, "cannot be made as a folder", error.value());
    writeFileAtomically(path, text);
}

void EventLog::ranks(const std::vector<std::string>& hosts) {
    const std::int64_t t = now();
    std::string text = line({{"event", "ranks"}, {"t", t}, {"count", hosts.size()}});
    for (std::size_t rank = 0; rank < hosts.size(); ++rank)
        text += line({{"event", "host"}, {"t", t}, {"rank", rank}, {"host", hosts[rank]}});
    append(text);
}

void EventLog::clock(std::int64_t aheadNs, double drift, std::int64_t errorNs) {
    append(line({{"event", "clock"},
                 {"t", now()},
                 {"firstIsAheadNs", aheadNs},
                 {"driftPpm", 1e6 * drift},
                 {"errorNs", errorNs}}));
}

std::filesystem::path rankEvents(const std::filesystem::path& events, int rank) {
    return events.parent_path() /
           fmt::format("{}.rank{}{}", events.stem().string(), rank, events.extension().string());
}

JobEvents readEvents(const std::filesystem::path& path) {
    if (!pathExists(path))
        throw InputError(fmt::format("There is no file {}.", path.string()),
                         {.code = ErrorCode::missingFile});
    EventTail tail(path);
    JobEvents events;
    bool more = true;
    while (more) {
        EventNews news = tail.read();
        if (news.restarted) events = {};
        std::move(news.spans.begin(), news.spans.end(), std::back_inserter(events.spans));
        std::move(news.logs.begin(), news.logs.end(), std::back_inserter(events.logs));
        if (news.state) {
            events.state = *news.state;
            events.stateMessage = std::move(news.stateMessage);
            events.stateCode = news.stateCode;
            events.stateField = std::move(news.stateField);
        }
        if (news.progress) events.progress = *news.progress;
        takeIterations(news.iterations, events.iterations);
        for (auto& [rank, host] : news.hosts)
            events.hosts[rank] = std::move(host);
        events.work = std::move(news.work);
        events.skippedLines += news.skippedLines;
        more = news.more;
    }
    return events;
}

}  // namespace gantry
