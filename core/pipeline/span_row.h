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

/// A TimelineSpan without the fields that its lane has.
struct LaneSpan {
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
    Index slab = 0;
    Index batch = 0;
    Index bytes = 0;
    Index updates = 0;
    Stage stage = Stage::load;
};

/// Spans in order of time that do not overlap. Copies share them in pieces, so a copy costs a
/// thousandth of the spans and keeps its content while the original grows; sums over a stretch of
/// time do not visit the spans. Different threads may use different copies. Tests:
/// tests/core/pipeline/span_row_test.cpp
class SpanRow {
  public:
    /// Appends spans that each begin where the one before ended, or later.
    void append(std::span<const LaneSpan> spans);
    /// Keeps the first `count` spans.
    void truncate(Index count);

    [[nodiscard]] Index size() const { return m_size; }
    [[nodiscard]] bool empty() const { return m_size == 0; }
    [[nodiscard]] const LaneSpan& operator[](Index i) const;
    /// Index of the first span that ends after `ns`; size() where there is none.
    [[nodiscard]] Index firstEndingAfter(std::int64_t ns) const;
    /// How long every stage worked before `ns`.
    [[nodiscard]] StageTimes busyBefore(std::int64_t ns) const;
    /// Adds what the stages did from begin to end. A span that lies partly within counts with that
    /// part of its bytes and updates.
    void addTotals(std::int64_t beginNs, std::int64_t endNs, StageTotals& totals) const;

    static constexpr std::size_t kMaxGaps = 32;
    /// The spans before the longest gaps, longest first, at most kMaxGaps; never the last span.
    [[nodiscard]] std::vector<Index> beforeLongestGaps() const;

  private:
    struct Piece;
    struct Placed {
        std::shared_ptr<const Piece> piece;
        StageTimes busyBefore;  ///< sum over all pieces before
        std::int64_t beginNs;   ///< of its first span
        std::int64_t endNs;     ///< of its last span
    };
    void addPiece(std::vector<LaneSpan> spans);
    [[nodiscard]] Index gapAfter(Index i) const;

    std::vector<Placed> m_pieces;  ///< all full but the last
    Index m_size = 0;
};

}  // namespace gantry
