#pragma once

#include <optional>

#include "ui/models/timeline/timeline_fold.h"
#include "ui/models/timeline/timeline_snapshot.h"

namespace gantry {

/// Pixels that the mark of a pause takes: it has no length on the timeline's clock.
inline constexpr double kPauseWidth = 9;

/// What is at a place of the timeline: a span, or a gap, or, where spans are thinner than a pixel,
/// how many there are and what they share; or the mark of a pause.
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

/// Of one row of a timeline lane, at pixel x. Tests: tests/ui/models/timeline_hit_test.cpp
[[nodiscard]] TimelineHit hitAt(const TimelineSnapshot& snapshot, std::size_t lane, std::size_t row,
                                const TimeAxis& axis, double x);

/// "load", "rank 1 · gpu 0", "rank 1 · node7 · gpu 0": the rank where there is more than one, and
/// its machine where there are several.
[[nodiscard]] QString laneTitle(const TimelineSnapshot& snapshot, int rank,
                                const std::string& lane);

/// "filter"
[[nodiscard]] QString stageTitle(Stage stage);

/// "1461 GUPS", "2.90 GB/s"; empty where there is no rate.
[[nodiscard]] QString rateText(const StageTotal& total);

/// A moment of the job with the digits that matter for something of that length: "12.3456 s".
[[nodiscard]] QString momentText(std::int64_t ns, std::int64_t lengthNs);

/// "paused 12 min": seconds matter in short ones only.
[[nodiscard]] QString pauseText(double seconds);

/// The tool tip of a hit: rich text, the first line in bold. Empty of nothing.
[[nodiscard]] QString describe(const TimelineSnapshot& snapshot, const TimelineHit& hit);

}  // namespace gantry
