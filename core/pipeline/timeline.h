#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// The stages of a projection's walk (resources/help/architecture.md), in their order.
enum class Stage {
    load,
    correct,
    prepare,
    filter,
    gather,
    upload,
    project,
    backproject,
    download,
    reduce,
    store
};
inline constexpr int kStageCount = 11;

[[nodiscard]] std::string_view name(Stage stage);  ///< "load", ..., "back-project", ...
/// The stage of that name. @throws InputError
[[nodiscard]] Stage parseStage(std::string_view text);

/// One stage's work on one batch of one slab, on one timeline lane (a thread or a device queue).
struct TimelineSpan {
    int rank = 0;
    std::string lane;
    Stage stage = Stage::load;
    std::int64_t beginNs = 0;  ///< since the job's start
    std::int64_t endNs = 0;
    Index slab = 0;
    Index batch = 0;
    Index bytes = 0;    ///< read, written or moved
    Index updates = 0;  ///< voxel updates
};

/// "640 ns", "420 µs", "1.34 ms", "0.42 s", "3 min 20 s".
[[nodiscard]] std::string formatSpanTime(double seconds);

/// Takes spans as they end, from several threads.
using SpanSink = std::function<void(const TimelineSpan&)>;

/// Whether a span's times and sizes are possible; those read from a file need not be. Times are at
/// most three years.
[[nodiscard]] bool isPlausible(const TimelineSpan& span);

/// The work of one stage. Sums stay at their largest value rather than overflow.
struct StageTotal {
    double seconds = 0;
    Index spans = 0;
    Index bytes = 0;
    Index updates = 0;
    double laneSeconds = 0;  ///< of the lane that worked longest on it, after addLane()

    /// Adds more work of the same lane.
    StageTotal& operator+=(const StageTotal& other);
    friend bool operator==(const StageTotal&, const StageTotal&) = default;
};
using StageTotals = std::array<StageTotal, kStageCount>;

/// Adds all work of one lane. Tests: tests/core/pipeline/timeline_test.cpp
void addLane(StageTotals& all, const StageTotals& ofLane);

/// Totals over the spans of a run.
struct TimelineSummary {
    StageTotals stages{};
    double wallSeconds = 0;
    double overlapFactor = 0;  ///< δ = sum of the stages' times / wall
    int boundingStage = -1;    ///< index of the one whose lane worked longest, -1 without spans
};
/// Summarises totals that addLane() made.
[[nodiscard]] TimelineSummary summarise(const StageTotals& stages, double wallSeconds);
/// Summarises the plausible ones among the spans.
[[nodiscard]] TimelineSummary summarise(const std::vector<TimelineSpan>& spans);

/// The spans as a trace that Chrome's and Perfetto's viewers open (JSON object format).
[[nodiscard]] std::string toChromeTrace(const std::vector<TimelineSpan>& spans);

}  // namespace gantry
