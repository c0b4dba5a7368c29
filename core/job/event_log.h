#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/pipeline/progress.h"
#include "core/pipeline/timeline.h"
#include "core/pipeline/work_time.h"

namespace gantry {

enum class JobState { queued, running, done, failed, cancelled };
[[nodiscard]] std::string_view name(JobState state);

struct JobEvents;

/// Appends to a job's events.jsonl, one JSON object a line. Times are ns since the job's first
/// start; a resumed run continues on the same clock. It tracks how long the job ran: from the state
/// `running` on, until endWork() or another state. Thread-safe. Tests:
/// tests/core/job/event_log_test.cpp
class EventLog {
  public:
    /// Opens or creates the file. A last line that a killed run left unfinished is ended first.
    explicit EventLog(const std::filesystem::path& path);
    /// The same for a log that has just been read, so that it is not read again.
    EventLog(const std::filesystem::path& path, const JobEvents& before);
    /// The log of a rank above 0, for its spans and messages: rankEvents() of the job's. originNs:
    /// in this process' nowNs(), the moment that rank 0 counts from
    EventLog(const std::filesystem::path& path, std::int64_t originNs);

    /// The moment of nowNs() that event times count from.
    [[nodiscard]] std::int64_t originNs() const { return m_originNs; }

    void span(const TimelineSpan& span);
    void progress(const Progress& progress);
    void iteration(const IterationFigures& figures);
    /// A state that ends a run gets the time of endWork() if that was called. details: of a
    /// failure; its code and field are kept.
    void state(JobState state, std::string_view message = {}, const ErrorDetails& details = {});
    void endWork();
    /// When the job ran, including earlier runs and the current one until now.
    [[nodiscard]] WorkTime work();
    void log(std::string_view level, std::string_view text);  ///< "info", "warning", "error"
    void metric(std::string_view name, double value, std::string_view unit);
    void preview(std::string_view file);
    /// Ranks from 1 on have their own logs. hosts: the machine's name of each rank, from 0 on
    void ranks(const std::vector<std::string>& hosts);
    /// Logs a rank's clock relative to rank 0's, which corrects its spans' times. aheadNs: how far
    /// rank 0's is ahead; drift: what it gains, in seconds a second; errorNs: max error of aheadNs
    void clock(std::int64_t aheadNs, double drift, std::int64_t errorNs);

  private:
    void open(const std::filesystem::path& path);
    void append(const std::string& line);
    [[nodiscard]] std::int64_t now() const;

    std::mutex m_mutex;
    File m_file;
    Index m_size = 0;
    std::int64_t m_originNs = 0;
    std::mutex m_workMutex;
    WorkTime m_work;
};

/// The log of a rank above 0, beside the job's events.jsonl: "events.rank3.jsonl".
[[nodiscard]] std::filesystem::path rankEvents(const std::filesystem::path& events, int rank);

/// Creates a folder with the events.jsonl of a simulated run, which began at 0 and is done.
/// @throws InputError if the folder has one already; ResourceError
/// Tests: tests/core/job/event_log_test.cpp
void writeSimulatedEvents(const std::filesystem::path& folder,
                          const std::vector<TimelineSpan>& spans, double seconds);

/// The content of an events.jsonl, as far as it can be read: an unfinished last line is left out,
/// lines of an unknown kind are skipped and counted.
struct JobEvents {
    std::vector<TimelineSpan> spans;
    std::vector<std::string> logs;     ///< "warning: ...", "info: rank 2 on node7: ..."
    std::map<int, std::string> hosts;  ///< the machine's name of each rank, in a run of several
    JobState state = JobState::queued;
    std::string stateMessage;
    ErrorCode stateCode = ErrorCode::none;  ///< the kind of failure, where code depends on it
    std::string stateField;
    Progress progress;
    std::vector<IterationFigures> iterations;  ///< of an iterative method, as they were made
    WorkTime work;
    Index skippedLines = 0;
};
/// @throws InputError when there is no such file
/// Tests: tests/core/job/event_log_test.cpp
[[nodiscard]] JobEvents readEvents(const std::filesystem::path& path);

}  // namespace gantry
