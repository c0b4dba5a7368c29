#pragma once

#include <optional>

#include "ui/models/timeline/timeline_fold.h"
#include "ui/models/timeline/timeline_snapshot.h"

namespace gantry {

/// Width of the mark of a pause, which has no length on the timeline's clock.
inline constexpr double kPauseWidth = 9;

/// What is at a point of the timeline: a span, or a gap, or, if spans are thinner than a pixel,
/// their number and shares; or the mark of a pause.
struct TimelineHit {
    struct Folded {
        Index spans = 0;
        TimeRange range;  ///< of the pixel
        StageShares shares{};
    };
    std::size_t lane = 0;
    std::optional<LaneSpan> span;
    std::optional<LaneGap> gap;
    std::optional<Folded> folded;
    std::optional<TimelinePause> pause;

    [[nodiscard]] bool isNothing() const { return !span && !gap && !folded && !pause; }
};

/// The hit in one row of a timeline lane, at pixel x. Tests: tests/ui/models/timeline_hit_test.cpp
[[nodiscard]] TimelineHit hitAt(const TimelineSnapshot& snapshot, std::size_t lane, std::size_t row,
                                const TimeAxis& axis, double x);

/// "load", "rank 1 · gpu 0", "rank 1 · node7 · gpu 0": with the rank if there are several, and its
/// machine if there are several.
[[nodiscard]] QString laneTitle(const TimelineSnapshot& snapshot, int rank,
                                const std::string& lane);

/// "filter"
[[nodiscard]] QString stageTitle(Stage stage);

/// "1461 GUPS", "2.90 GB/s"; empty if there is no rate.
[[nodiscard]] QString rateText(const StageTotal& total);

/// A time of the job with the digits that matter for that length: "12.3456 s".
[[nodiscard]] QString momentText(std::int64_t ns, std::int64_t lengthNs);

/// "paused 12 min"; seconds are shown only for short pauses.
[[nodiscard]] QString pauseText(double seconds);

/// The tool tip of a hit: rich text, the first line in bold. Empty if there is nothing.
[[nodiscard]] QString describe(const TimelineSnapshot& snapshot, const TimelineHit& hit);

}  // namespace gantry
