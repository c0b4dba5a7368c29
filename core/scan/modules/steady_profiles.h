#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/base/span3.h"
#include "core/scan/modules/step_fit.h"

namespace gantry {

/// The side of a detector along which places are counted.
enum class DetectorSide { columns, rows };

/// Which of the views that were added.
enum class ViewsOf { all, firstHalf, secondHalf };

/// What is alike in all of some views: the median over the views of how line integrals change from
/// one column to the next, and from one row to the next, in bands across these. What belongs to the
/// detector is in every view; the edges of an object that turns are at a place in a few only, so
/// that medians do not show them, as means would.
/// Tests: tests/core/scan/module_steps_test.cpp
class SteadyProfiles {
  public:
    /// views: that will be added
    /// bad: [v][u], not 0 for pixels without a value of their own; empty: none
    SteadyProfiles(Index rows, Index columns, Index views, std::span<const unsigned char> bad);

    /// i: which one of the views, from 0; view: [1][v][u]. Several threads may add different ones.
    void add(Index i, Span3<const float> view);

    [[nodiscard]] Index places(DetectorSide side) const { return of(side).places; }
    [[nodiscard]] Index bands(DetectorSide side) const { return of(side).bands; }
    /// The lines across the side that a band is of.
    [[nodiscard]] IndexRange linesOf(DetectorSide side, Index band) const;
    /// A band's profile along the side; its level says nothing.
    [[nodiscard]] Profile profile(DetectorSide side, Index band, ViewsOf views) const;

  private:
    struct Side {
        Index places = 0;
        Index lines = 0;
        Index bands = 0;
        std::vector<float> means;  ///< [band][view][place]
        std::vector<Index> good;   ///< [band][place] lines with a good pixel
    };

    [[nodiscard]] const Side& of(DetectorSide side) const {
        return m_sides[static_cast<std::size_t>(side)];
    }

    Index m_views;
    std::vector<bool> m_isBad;  ///< [v][u]; empty: no pixel is
    std::array<Side, 2> m_sides;
};

}  // namespace gantry
