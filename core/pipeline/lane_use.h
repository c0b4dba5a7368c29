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
    end,      ///< it had finished while others had not
    broken,   ///< the run was interrupted before it had more to do
    unknown,  ///< no stage that it depends on was at work
};

/// A stretch of time in which a lane did nothing.
struct LaneGap {
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
    GapCause cause = GapCause::unknown;
    std::optional<Stage> stage;  ///< the stage waited for: the busiest of those possible

    [[nodiscard]] double seconds() const { return 1e-9 * static_cast<double>(endNs - beginNs); }
};

/// "waited 0.42 s for load", "waited 0.42 s for back-project to make room", ...
[[nodiscard]] std::string describe(const LaneGap& gap);

/// How busy one timeline lane was while the job ran.
struct LaneUse {
    int rank = 0;
    std::string lane;
    double busySeconds = 0;  ///< sum over its spans, also where they overlap
    double idleSeconds = 0;
    std::vector<LaneGap> gaps;  ///< the longest first
};

/// The use of every timeline lane, in the store's order, each with its longest gaps (at most
/// SpanRow::kMaxGaps). No gap reaches from one run into the next: pauses are not idle time. The
/// cause of a gap is concluded from what came next in the lane, from when its batch had left the
/// stage before, and from what the other lanes of the rank (of all ranks, where that rank was idle)
/// did meanwhile. isOver: whether the run has ended. Until then a lane without a span at the end
/// may be busy, because spans are known only once they end; such a gap is not reported. Tests:
/// tests/core/pipeline/lane_use_test.cpp
[[nodiscard]] std::vector<LaneUse> laneUse(const TimelineStore& store, bool isOver);

/// The gap of a lane around a moment; none where the lane is busy or no run was under way.
[[nodiscard]] std::optional<LaneGap> gapAt(const TimelineStore& store, const TimelineLane& lane,
                                           std::int64_t ns, bool isOver);

}  // namespace gantry
