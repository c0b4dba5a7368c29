#pragma once

#include <span>
#include <vector>

#include "core/filter/redundancy.h"
#include "core/geometry/aligned_views.h"

namespace gantry {

/// What FDK multiplies a line integral with before the ramp (DESIGN.md section 2, steps 2 and 4).
///
/// With uMm and vMm measured from the foot of the source on the detector, s = uMm·SOD/SDD and the
/// axis seen at a = axisMm·SOD/SDD, the ray passes the axis at t = SOD·(s − a)/√(SOD² + s²); dt/ds
/// gives
///     (1 + a·s/SOD²)·SDD/√(SDD² + uMm² + vMm²),
/// the cosine weight where a = 0. Times Δβ of the view, its redundancy weight and SOD², so that a
/// back-projector has only to divide by the squared depth in mm.
///
/// Kept as viewScale(u)/√(squareU(u) + squareV(v)). Several threads may read it.
/// Tests: tests/core/filter/cpu_filter_test.cpp
class FdkWeights {
  public:
    FdkWeights(const AlignedViews& geometry, const RedundancyPlan& redundancy);

    /// 1 + (uMm/SDD)² of every column.
    [[nodiscard]] std::span<const float> squareU() const { return m_squareU; }
    /// (vMm/SDD)² of a detector row.
    [[nodiscard]] float squareV(Index row) const;
    /// Numerators of one view, one a column, mm²·rad.
    void viewScale(Index view, std::span<float> scale) const;

  private:
    AlignedDetector m_detector;
    RedundancyPlan m_redundancy;
    std::vector<double> m_anglesDeg;
    std::vector<double> m_weightsRad;
    std::vector<double> m_rayAngle;  ///< [u], rad
    std::vector<double> m_columnScale;
    std::vector<float> m_squareU;
};

}  // namespace gantry
