#pragma once

#include <cstdint>
#include <vector>

namespace gantry {

/// A stretch of a job's time, ns since the job's first start; the end is not part of it.
struct TimeRange {
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;

    [[nodiscard]] std::int64_t lengthNs() const { return endNs - beginNs; }
    friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

/// When a job ran. This is the one definition of a job's time for everything that reports it: wall
/// time from the begin of a run to its end, storing included; the pauses between an interrupted run
/// and the resumed one are not part of it. Times are ns on the job's clock, in the order of the
/// reports. Copies are cheap. Tests: tests/core/pipeline/work_time_test.cpp
class WorkTime {
  public:
    /// A run begins. If the one before did not report its end, it ended with its last report.
    void begin(std::int64_t ns);
    /// A stage worked; this begins a run if none is under way.
    void worked(const TimeRange& span);
    /// The current run was still under way at that time.
    void seen(std::int64_t ns);
    /// The current run ended.
    void end(std::int64_t ns);
    /// The current run, if any, ended with its last report.
    void breakOff() { m_isOpen = false; }

    /// Whether a run has begun and not reported its end.
    [[nodiscard]] bool isOpen() const { return m_isOpen; }
    /// In order of time; they do not overlap.
    [[nodiscard]] const std::vector<TimeRange>& runs() const { return m_runs; }
    /// The pauses between runs; one fewer than there are runs.
    [[nodiscard]] std::vector<TimeRange> pauses() const;
    [[nodiscard]] double seconds() const;        ///< while runs were under way
    [[nodiscard]] double pausedSeconds() const;  ///< of all pauses
    /// Length of all pauses that were over at that moment.
    [[nodiscard]] std::int64_t pausedBeforeNs(std::int64_t ns) const;

    /// The same on a clock that stops in the pauses: each run begins where the one before ended.
    [[nodiscard]] WorkTime withoutPauses() const;

    friend bool operator==(const WorkTime&, const WorkTime&) = default;

  private:
    [[nodiscard]] std::int64_t earliest() const { return m_runs.empty() ? 0 : m_runs.back().endNs; }

    std::vector<TimeRange> m_runs;
    bool m_isOpen = false;
    bool m_isImplied = false;  ///< the run under way did not report its begin
};

}  // namespace gantry
