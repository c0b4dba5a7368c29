#include "ui/panels/timeline/timeline_feed.h"

#include <chrono>
#include <utility>

#include "core/base/file.h"
#include "core/job/event_tail.h"
#include "core/job/forecast_file.h"
#include "ui/models/text.h"

namespace gantry {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

namespace {

constexpr auto kWhileItRuns = 200ms;
constexpr auto kAfterwards = 1000ms;  // it may be resumed, here or elsewhere
constexpr auto kToAppear = 10s;       // of a folder that is being made

bool isOver(JobState state) {
    return state != JobState::queued && state != JobState::running;
}

}  // namespace

// What has been read so far. Passed from one reading to the next, on any thread.
struct TimelineFeed::Reader {
    explicit Reader(const QString& path) : folder(path), tail(toPath(path) / "events.jsonl") {}

    Reading read(const std::stop_token& stop);
    bool take(EventNews news);
    TimelineSnapshot snapshot() const;

    QString folder;
    EventTail tail;
    TimelineStore store;  // on a clock without pauses
    std::map<int, std::string> hosts;
    WorkTime work;  // on the job's clock
    std::optional<Forecast> forecast;
    std::vector<IterationFigures> iterations;
    JobState state = JobState::queued;
    Index unreadLines = 0;
    int generation = 0;
    bool isFirst = true;
    bool wasThere = false;  // or should be by now
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    bool more = false;
    QString problem;
};

struct TimelineFeed::Reading {
    std::shared_ptr<const TimelineSnapshot> snapshot;  // null: nothing is new
    bool more = false;
    bool isOver = false;
};

bool TimelineFeed::Reader::take(EventNews news) {
    const bool isNews = !news.empty() || news.more != more;
    if (news.restarted) {
        store = {};
        iterations.clear();
        state = JobState::queued;
        unreadLines = 0;
        ++generation;
    }
    if (!news.empty()) work = news.work;
    for (TimelineSpan& span : news.spans) {
        const std::int64_t paused = work.pausedBeforeNs(span.beginNs);
        span.beginNs -= paused;
        span.endNs -= paused;
    }
    takeIterations(news.iterations, iterations);
    store.append(news.spans);
    store.setWork(work.withoutPauses());
    for (auto& [rank, host] : news.hosts)
        hosts[rank] = std::move(host);
    if (news.state) state = *news.state;
    unreadLines += news.skippedLines;
    more = news.more;
    return isNews;
}

TimelineSnapshot TimelineFeed::Reader::snapshot() const {
    TimelineSnapshot result;
    result.folder = folder;
    result.generation = generation;
    result.store = store;
    result.hosts = hosts;
    std::int64_t paused = 0;
    for (const TimeRange& pause : work.pauses()) {
        result.pauses.push_back({pause.beginNs - paused, pause.lengthNs()});
        paused += pause.lengthNs();
    }
    result.isOver = isOver(state);
    result.uses = laneUse(store, result.isOver);
    result.summary = store.summary();
    result.forecast = forecast;
    result.iterations = iterations;
    result.isReading = more;
    result.unreadLines = unreadLines + store.leftOut();
    result.problem = problem;
    return result;
}

TimelineFeed::Reading TimelineFeed::Reader::read(const std::stop_token& stop) {
    const std::filesystem::path path = toPath(folder);
    const bool isThere = isFolder(path);
    // A job that has just been started is listed before its folder is made.
    wasThere |= isThere || std::chrono::steady_clock::now() - begin > kToAppear;
    const bool isGone = wasThere && !isThere;
    const QString before =
        std::exchange(problem, isGone ? tr("The job's folder is gone: %1").arg(folder) : QString());
    bool isNews = std::exchange(isFirst, false) || problem != before;
    if (isThere) {
        isNews = take(tail.read(stop)) || isNews;
        // Written when the job is made, which may be after this was first asked.
        if (isNews) forecast = readForecast(path);
    }
    Reading reading;
    reading.more = more;
    reading.isOver = isOver(state);
    if (isNews) reading.snapshot = std::make_shared<const TimelineSnapshot>(snapshot());
    return reading;
}

TimelineFeed::TimelineFeed(QObject* parent) : QObject(parent) {
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &TimelineFeed::read);
}

void TimelineFeed::follow(const QString& folder) {
    if (folder == m_folder) return;
    m_reading.cancel();
    m_timer.stop();
    m_folder = folder;
    m_snapshot.reset();
    m_reader = folder.isEmpty() ? nullptr : std::make_shared<Reader>(folder);
    emit changed();
    read();
}

void TimelineFeed::setWatched(bool watched) {
    if (watched == m_isWatched) return;
    m_isWatched = watched;
    if (watched)
        read();
    else
        m_timer.stop();
}

void TimelineFeed::read() {
    if (!m_reader || !m_isWatched || m_reading.isBusy()) return;
    m_timer.stop();
    m_reading.start([reader = m_reader](const std::stop_token& stop) { return reader->read(stop); },
                    [this](Reading reading) { take(std::move(reading)); },
                    [this](const QString& sentence) {
                        auto failed = std::make_shared<TimelineSnapshot>();
                        if (m_snapshot) *failed = *m_snapshot;
                        failed->folder = m_folder;
                        failed->problem = sentence;
                        m_snapshot = std::move(failed);
                        emit changed();
                        if (m_isWatched) m_timer.start(kAfterwards);
                    });
}

void TimelineFeed::take(Reading reading) {
    if (reading.snapshot) {
        m_snapshot = std::move(reading.snapshot);
        emit changed();
    }
    if (!m_isWatched) return;
    m_timer.start(reading.more ? 0ms : reading.isOver ? kAfterwards : kWhileItRuns);
}

}  // namespace gantry
