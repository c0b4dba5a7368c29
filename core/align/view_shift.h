#pragma once

#include <array>
#include <limits>
#include <vector>

#include "core/scan/stack/view_stack.h"

namespace gantry {

/// Views at several resolutions, each with half as many pixels along u and v as the one before, and
/// all of them smoothed. Several threads may read it.
class ViewPyramid {
  public:
    /// views: whole ones; level 0
    /// @throws ResourceError, Cancelled
    ViewPyramid(ViewStack views, int threads);

    [[nodiscard]] Index levels() const { return std::ssize(m_levels); }
    /// [s][v][u]
    [[nodiscard]] Span3<const float> level(Index i) const { return m_levels[i].span(); }

  private:
    std::vector<ViewStack> m_levels;
};

/// How far a picture lies from where another one has it.
struct ViewShift {
    std::array<double, 2> px = {0, 0};  ///< along u and v
    /// Standard deviations, from how much parts of the picture differ about it: noise, parts of the
    /// object that look otherwise and fixed patterns count in it. Infinite along an axis without
    /// structure.
    std::array<double, 2> uncertaintyPx = {std::numeric_limits<double>::infinity(),
                                           std::numeric_limits<double>::infinity()};
    /// The share of the moved picture's structure that the other one has after the shift: 1 where
    /// they are the same, 0 or less where one shows nothing of the other.
    double likeness = 0;
};

/// The max shift that is looked for along an axis of so many pixels.
[[nodiscard]] double maxShiftPx(Index pixels);

/// The shift after which view `fixed` is view `moved`: searched for on the coarsest level, where
/// the pictures correlate best, and then by Gauss-Newton from level to level (Lucas and Kanade
/// 1981). A smooth difference, quadratic over the view, is not counted: that of another beam or of
/// a flat field that drifted. Smoothing leaves little of a fixed pattern of single pixels or
/// columns, which would pull the shift to 0. Pixels that only one of the two sees are left out.
/// Several threads may call it.
/// Tests: tests/core/align/view_shift_test.cpp
[[nodiscard]] ViewShift shiftBetween(const ViewPyramid& movedViews, Index moved,
                                     const ViewPyramid& fixedViews, Index fixed);

}  // namespace gantry
