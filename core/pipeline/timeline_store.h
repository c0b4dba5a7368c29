#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/pipeline/span_row.h"
#include "core/pipeline/timeline.h"
#include "core/pipeline/work_time.h"

namespace gantry {

/// The work of one thread or device queue of one rank.
struct TimelineLane {
    int rank = 0;
    std::string name;
    Stage firstStage = Stage::load;  ///< the first of its stages in the order of Stage
    /// There is one row unless spans of the lane overlap; then each is in the first row that has
    /// room.
    std::vector<SpanRow> rows;
    StageTotals totals{};
};

/// The spans of a run by lanes, for drawing and analysis; it grows as spans come in. A copy is
/// cheap, shares the spans, and keeps its content while the original grows. Tests:
/// tests/core/pipeline/timeline_store_test.cpp
class TimelineStore {
  public:
    /// Adds spans, in any order. Implausible ones, and lanes beyond a thousand, are left out and
    /// counted.
    void append(std::span<const TimelineSpan> spans);

    /// Sets when the job ran, on the spans' clock. Without it the spans' whole extent is one run.
    void setWork(WorkTime work) { m_work = std::move(work); }
    /// The runs, including those without spans.
    [[nodiscard]] std::vector<TimeRange> runs() const;
    /// How long the job ran within `range`.
    [[nodiscard]] std::int64_t workNs(const TimeRange& range) const;

    /// Sorted by rank, and then in the order of Stage.
    [[nodiscard]] const std::vector<TimelineLane>& lanes() const { return m_lanes; }
    [[nodiscard]] bool empty() const { return m_lanes.empty(); }
    [[nodiscard]] Index spanCount() const { return m_spanCount; }
    [[nodiscard]] Index leftOut() const { return m_leftOut; }
    [[nodiscard]] std::int64_t beginNs() const;  ///< of the first run
    [[nodiscard]] std::int64_t endNs() const;    ///< of the last run
    /// The summary of the whole job; its wall time leaves out pauses.
    [[nodiscard]] TimelineSummary summary() const;
    /// What the stages did in a stretch of time, as if it were the whole job.
    [[nodiscard]] TimelineSummary summary(std::int64_t beginNs, std::int64_t endNs) const;
    /// All spans, lane by lane.
    [[nodiscard]] std::vector<TimelineSpan> spans() const;

  private:
    using Key = std::pair<int, std::string>;
    void sortLanes();

    std::vector<TimelineLane> m_lanes;
    std::map<Key, std::size_t> m_laneOf;
    WorkTime m_work;
    Index m_spanCount = 0;
    Index m_leftOut = 0;
    std::int64_t m_beginNs = 0;
    std::int64_t m_endNs = 0;
};

}  // namespace gantry
