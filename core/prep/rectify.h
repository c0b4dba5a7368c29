#pragma once

#include <array>

#include "core/base/span3.h"
#include "core/geometry/views/aligned_views.h"

namespace gantry {

/// Resamples views of a rolled, tilted or slanted flat detector bilinearly onto an aligned virtual
/// one of the same pixel count, pitch and position, the one of core/geometry/views/aligned_views.h;
/// outside the real detector the value is 0.
/// Tests: tests/core/prep/rectify_test.cpp
class Rectifier {
  public:
    /// Only upright rows need resampling; views of calibrated poses are never resampled.
    explicit Rectifier(const ScanGeometry& declared, FilterRows rows = FilterRows::upright);

    [[nodiscard]] bool isIdentity() const { return m_isIdentity; }

    /// Homogeneous map from pixel (u, v, 1) of the virtual detector to pixels of the real one.
    using Homography = std::array<std::array<double, 3>, 3>;
    [[nodiscard]] const Homography& homography() const { return m_homography; }

    /// Position, in pixels of the real detector, that the ray through (u, v) of the virtual one
    /// hits. Not finite where the ray runs along or away from the real detector.
    struct Point {
        double u;
        double v;
    };
    [[nodiscard]] Point toReal(double u, double v) const;

    /// Real detector rows that virtual rows [rows.begin, rows.end) are interpolated from.
    [[nodiscard]] IndexRange sourceRows(IndexRange rows) const;

    /// view: [1][v][u], real rows from `firstRow` on, at least sourceRows() of the virtual ones;
    /// out: [1][v][u], virtual rows from `outRow` on; they must not overlap. Several threads may
    /// call it.
    void apply(Span3<const float> view, Index firstRow, Span3<float> out, Index outRow) const;

  private:
    bool m_isIdentity;
    Index m_columns;
    Index m_rows;
    Homography m_homography{};
};

}  // namespace gantry
