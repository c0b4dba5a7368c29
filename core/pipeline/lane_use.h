#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/pipeline/timeline_store.h"

namespace gantry {

/// Why a timeline lane did nothing for a while.
enum class GapCause {
    start,    ///< its first batch was still with an earlier stage
    input,    ///< an earlier stage had not delivered the next batch
    room,     ///< a later stage had not made room for more
    end,      ///< its work was done, that of others not
    broken,   ///< the run was interrupted before it had more to do
    unknown,  ///< no stage that it depends on was at work
};

/// A stretch of time in which a lane did nothing.
struct LaneGap {
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
    GapCause cause = GapCause::unknown;
    std::optional<Stage> stage;  ///< the one waited for: the busiest of those that could be meant

    [[nodiscard]] double seconds() const { return 1e-9 * static_cast<double>(endNs - beginNs); }
};

/// "waited 0.42 s for load", "waited 0.42 s for back-project to make room", ...
[[nodiscard]] std::string describe(const LaneGap& gap);

/// How busy one lane was while the job was at work.
struct LaneUse {
    int rank = 0;
    std::string lane;
    double busySeconds = 0;  ///< of all its spans, also where they overlap
    double idleSeconds = 0;
    std::vector<LaneGap> gaps;  ///< the longest first
};

/// The use of every lane, in the store's order, each with its longest gaps (SpanRow::kMostGaps at
/// most). No gap reaches from one run into the next: pauses are not idle time. The cause of a gap
/// is concluded from what came next in the lane, from when its batch had left the stage before, and
/// from what the other lanes of the rank (of all, where that rank was idle) did meanwhile. isOver:
/// whether the run has ended. Until then a lane without a span at the end may be busy, as spans are
/// known only once they end; nothing is said of such a gap.
/// Tests: tests/core/pipeline/lane_use_test.cpp
[[nodiscard]] std::vector<LaneUse> laneUse(const TimelineStore& store, bool isOver);

/// The gap of a lane around a moment; none where the lane is busy, or out of the runs.
[[nodiscard]] std::optional<LaneGap> gapAt(const TimelineStore& store, const TimelineLane& lane,
                                           std::int64_t ns, bool isOver);

}  // namespace gantry
