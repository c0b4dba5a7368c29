#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// The stages of a projection's walk (DESIGN.md section 4), in their order.
enum class Stage { load, prepare, filter, gather, upload, backproject, download, reduce, store };
inline constexpr int kStageCount = 9;

[[nodiscard]] std::string_view name(Stage stage);  ///< "load", ..., "back-project", ...
/// The stage of that name. @throws InputError
[[nodiscard]] Stage parseStage(std::string_view text);

/// One stage's work on one batch of one slab, on one lane (a thread or a device queue).
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

/// Takes spans as they end, from several threads.
using SpanSink = std::function<void(const TimelineSpan&)>;

/// Totals over the spans of a run.
struct TimelineSummary {
    struct StageTotal {
        double seconds = 0;
        Index spans = 0;
        Index bytes = 0;
        Index updates = 0;
    };
    std::array<StageTotal, kStageCount> stages{};
    double wallSeconds = 0;
    double overlapFactor = 0;  ///< δ = sum of the stages' times / wall
    int boundingStage = -1;    ///< index of the longest, -1 without spans
};
[[nodiscard]] TimelineSummary summarise(const std::vector<TimelineSpan>& spans);

/// The spans as a trace that Chrome's and Perfetto's viewers open (JSON object format).
[[nodiscard]] std::string toChromeTrace(const std::vector<TimelineSpan>& spans);

}  // namespace gantry
