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

/// When a job was at work. This is the one definition of a job's time, for all who report it: wall
/// time from the begin of a run to its end, storing included; the pauses between an interrupted
/// run and the resumed one are not part of it. Times are ns on the job's clock, in the order in
/// which things were reported. Copies are cheap. Tests: tests/core/pipeline/work_time_test.cpp
class WorkTime {
  public:
    /// A run begins. One that did not report its end ended with what was last seen of it.
    void begin(std::int64_t ns);
    /// A stage worked. Begins a run where none is under way.
    void worked(const TimeRange& span);
    /// The run under way was still so then.
    void seen(std::int64_t ns);
    /// The run under way ended.
    void end(std::int64_t ns);
    /// The run under way, if any, ended with what was last seen of it.
    void breakOff() { m_isOpen = false; }

    /// Whether a run has begun and not reported its end.
    [[nodiscard]] bool isOpen() const { return m_isOpen; }
    /// In their order, none overlaps another.
    [[nodiscard]] const std::vector<TimeRange>& runs() const { return m_runs; }
    /// Between the runs; one fewer than there are runs.
    [[nodiscard]] std::vector<TimeRange> pauses() const;
    [[nodiscard]] double seconds() const;        ///< at work
    [[nodiscard]] double pausedSeconds() const;  ///< of all pauses
    /// Length of all pauses that were over at that moment.
    [[nodiscard]] std::int64_t pausedBeforeNs(std::int64_t ns) const;

    /// The same on a clock that stands still in the pauses: each run begins where the one before
    /// ended.
    [[nodiscard]] WorkTime withoutPauses() const;

    friend bool operator==(const WorkTime&, const WorkTime&) = default;

  private:
    [[nodiscard]] std::int64_t earliest() const { return m_runs.empty() ? 0 : m_runs.back().endNs; }

    std::vector<TimeRange> m_runs;
    bool m_isOpen = false;
    bool m_isImplied = false;  ///< the run under way did not report its begin
};

}  // namespace gantry
