#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace gantry {

/// Type of every count, index and size of arrays: signed, so that differences are safe.
using Index = std::ptrdiff_t;

/// A half-open range [begin, end) of slices, detector rows or views.
struct IndexRange {
    Index begin = 0;
    Index end = 0;

    [[nodiscard]] Index size() const { return end - begin; }
    [[nodiscard]] bool empty() const { return end <= begin; }
    [[nodiscard]] bool contains(Index i) const { return i >= begin && i < end; }
    friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// The range from the first index of both to the last, including what lies between; an empty one
/// does not count.
[[nodiscard]] inline IndexRange hullOf(const IndexRange& a, const IndexRange& b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

/// One range, or two that do not touch, the lower one first: the slices of a slab, which may be a
/// pair about the source's plane.
class IndexRanges {
  public:
    IndexRanges() = default;
    IndexRanges(IndexRange only) : m_parts{only, {}} {}  // NOLINT: a range is ranges
    IndexRanges(Index begin, Index end) : IndexRanges(IndexRange{begin, end}) {}
    /// lower ends before upper begins; neither is empty
    IndexRanges(IndexRange lower, IndexRange upper) : m_parts{lower, upper} {}

    [[nodiscard]] std::span<const IndexRange> parts() const {
        return std::span(m_parts).first(m_parts[1].empty() ? 1 : 2);
    }
    [[nodiscard]] Index size() const {
        return m_parts[0].size() + (m_parts[1].empty() ? 0 : m_parts[1].size());
    }
    [[nodiscard]] bool empty() const { return m_parts[0].empty(); }
    /// From the first index to the last, with what lies between the two.
    [[nodiscard]] IndexRange hull() const { return hullOf(m_parts[0], m_parts[1]); }
    friend bool operator==(const IndexRanges&, const IndexRanges&) = default;

  private:
    std::array<IndexRange, 2> m_parts{};
};

}  // namespace gantry
