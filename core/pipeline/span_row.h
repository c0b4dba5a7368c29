#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/pipeline/timeline.h"

namespace gantry {

/// Nanoseconds by stage.
using StageTimes = std::array<std::int64_t, kStageCount>;

/// A TimelineSpan without what its lane already says.
struct LaneSpan {
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
    Index slab = 0;
    Index batch = 0;
    Index bytes = 0;
    Index updates = 0;
    Stage stage = Stage::load;
};

/// Spans that follow each other without overlap, by their times. They lie in pieces that copies
/// share, so a copy costs a thousandth of the spans, and keeps its content while the original
/// grows; sums over a stretch of time do not visit its spans.
/// Copies may be used by different threads. Tests: tests/core/pipeline/span_row_test.cpp
class SpanRow {
  public:
    /// Of spans that begin where the one before ended, or later, each.
    void append(std::span<const LaneSpan> spans);
    /// Keeps the first `count` spans.
    void truncate(Index count);

    [[nodiscard]] Index size() const { return m_size; }
    [[nodiscard]] bool empty() const { return m_size == 0; }
    [[nodiscard]] const LaneSpan& operator[](Index i) const;
    /// size() where there is none.
    [[nodiscard]] Index firstEndingAfter(std::int64_t ns) const;
    /// How long every stage worked until then.
    [[nodiscard]] StageTimes busyBefore(std::int64_t ns) const;
    /// Adds what the stages did from begin to end. Of a span that lies there in part, that part of
    /// its bytes and updates.
    void addTotals(std::int64_t beginNs, std::int64_t endNs, StageTotals& totals) const;

    static constexpr std::size_t kMostGaps = 32;
    /// The spans that the longest gaps follow, longest first; at most kMostGaps. The last span is
    /// none of them.
    [[nodiscard]] std::vector<Index> beforeLongestGaps() const;

  private:
    struct Piece;
    struct Placed {
        std::shared_ptr<const Piece> piece;
        StageTimes busyBefore;  ///< in all pieces before
        std::int64_t beginNs;   ///< of its first span
        std::int64_t endNs;     ///< of its last
    };
    void place(std::vector<LaneSpan> spans);
    [[nodiscard]] Index gapAfter(Index i) const;

    std::vector<Placed> m_pieces;  ///< all full but the last
    Index m_size = 0;
};

}  // namespace gantry
