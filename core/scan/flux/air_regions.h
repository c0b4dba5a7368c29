#pragma once

#include <vector>

#include "core/base/host_buffer.h"
#include "core/base/span3.h"
#include "core/base/types.h"

namespace gantry {

/// The place in the middle of a range, where whole numbers are the middles of its members.
[[nodiscard]] inline double middleOf(IndexRange range) {
    return static_cast<double>(range.begin + range.end - 1) / 2;
}

/// A rectangle of the detector's pixels.
struct PixelRegion {
    IndexRange columns;
    IndexRange rows;

    [[nodiscard]] Index pixels() const { return columns.size() * rows.size(); }
    friend bool operator==(const PixelRegion&, const PixelRegion&) = default;
};

/// A sample of a scan's views in which blocks of at least 3 × 3 pixels stand for these, so that
/// noise and single pixels count for little. Several threads may add views.
class BlockViews {
  public:
    BlockViews(Index views, Index rows, Index columns);

    /// Adds view `s` of the sample. view: line integrals, [1][v][u]
    void add(Index s, Span3<const float> view);
    /// Medians of the blocks, [s][block row][block column].
    [[nodiscard]] Span3<const float> blocks() const {
        return {m_blocks.data(), m_n[0], m_n[1], m_n[2]};
    }
    /// Takes off each view a plane through the brightest blocks along its left and right sides, so
    /// that a beam that tilts over the detector is even.
    void level();
    /// The detector's pixels of these blocks.
    [[nodiscard]] PixelRegion pixelsOf(IndexRange blockColumns, IndexRange blockRows) const;

  private:
    Index m_rows;
    Index m_columns;
    Index m_n[3];
    HostBuffer<float> m_blocks;
};

/// Where all views of a sample show only air: the largest rectangle that touches the left side of
/// the detector, and the one that touches its right side, as far as there is one of 200 pixels. Air
/// is the brightest of both sides in every view, is even, and stays within its noise.
/// Tests: tests/core/scan/air_beam_test.cpp
[[nodiscard]] std::vector<PixelRegion> findAir(const BlockViews& sample);

}  // namespace gantry
