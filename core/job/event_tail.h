#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/job/event_log.h"
#include "core/pipeline/work_time.h"

namespace gantry {

/// New content of an events.jsonl since it was last read.
struct EventNews {
    bool restarted = false;  ///< the file was started again: forget everything read before
    std::vector<TimelineSpan> spans;
    std::vector<std::string> logs;  ///< "warning: ...", "info: rank 2 on node7: ..."
    std::optional<JobState> state;  ///< the last one
    std::string stateMessage;
    ErrorCode stateCode = ErrorCode::none;  ///< none in logs of versions that kept no code
    std::string stateField;
    std::optional<double> workSeconds;  ///< of the job until that state, if it is stated there
    std::optional<Progress> progress;   ///< the last one
    std::vector<IterationFigures> iterations;  ///< in the order in which they were made
    std::optional<std::int64_t> lastNs;        ///< the latest moment reported
    WorkTime work;                             ///< from everything read so far, including this
    std::optional<int> ranks;                  ///< number of ranks as last reported
    std::map<int, std::string> hosts;  ///< the machine's name of each rank that was reported
    Index skippedLines = 0;            ///< of an unknown kind, or damaged
    bool more = false;                 ///< there is more than one call reads; call again
    [[nodiscard]] bool empty() const;
};

/// Adds iterations to those that are known. A run that resumes makes those again that its
/// checkpoint lacked: they replace the earlier ones.
void takeIterations(const std::vector<IterationFigures>& news,
                    std::vector<IterationFigures>& known);

/// Reads an events.jsonl while it grows, and the logs of the ranks that it names, from which spans
/// and messages are taken. A last line that is still being written is left for the next call. One
/// thread at a time. Tests: tests/core/job/event_tail_test.cpp
class EventTail {
  public:
    explicit EventTail(std::filesystem::path path);
    ~EventTail();
    EventTail(EventTail&&) noexcept;
    EventTail& operator=(EventTail&&) noexcept;

    /// Continues reading, some tens of MB at most. Returns nothing if there is no such file (yet).
    /// @throws Cancelled; InputError when the file cannot be read
    [[nodiscard]] EventNews read(const std::stop_token& stop = {});

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

}  // namespace gantry
