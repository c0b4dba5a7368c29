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
/// Views on their own detectors have each its own D and foot. With R = (uMm, vMm, D) along u, v and
/// the normal, and the source moving by M_t along the detector and by M_n along its normal as the
/// gantry turns, the rays of a row sweep D·(M_t·D − M_n·uMm)/|R|, over the pitch; that is the above
/// for a detector whose v is along the axis. A tilt changes neither, and a roll turns M_t in the
/// detector's plane: the frequencies that rows then weigh too little and too much make up for each
/// other over a full circle.
/// Parallel rays are the limit of an infinite distance: Δβ and the redundancy weight alone, on a
/// view's own detector times the axis' share along it, since a row's plane turns so much slower
/// (Fourier's slice theorem: its Jacobian is |ω_u| times that share).
/// RTK's weights are D·|S|·cosγ/|R| with γ and |R| from the tilt τ of the detector about the axis:
/// cosγ·|R| = D·(cosτ + tanτ·sinτ) − x·sinτ and |R|² = D² + y² + (x − D·tanτ)², where x and y count
/// from RTK's places (RtkTerms).
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

    /// Whether every view has weights of its own: squareU() and squareV() then do not hold, and
    /// viewScale() is what applyOwn() needs.
    [[nodiscard]] bool areOwn() const { return !m_rays.empty(); }
    /// Multiplies a row of a view on its own detector with all its weights. scale: viewScale()
    void applyOwn(Index view, Index row, std::span<const float> scale, float* pixels) const;

  private:
    void ownViewScale(Index view, std::span<float> scale) const;
    /// first, v: places of the row's first pixel from the pixels' middle, mm
    static void applyRtk(const ViewRays& rays, double first, double v, std::span<const float> scale,
                         float* pixels);

    AlignedDetector m_detector;
    RedundancyPlan m_redundancy;
    std::vector<double> m_anglesDeg;
    std::vector<double> m_weightsRad;
    std::vector<double> m_across;  ///< [u], see rayAcross()
    std::vector<double> m_columnScale;
    std::vector<float> m_squareU;
    std::vector<ViewRays> m_rays;  ///< [s]; empty where all views are aligned
};

}  // namespace gantry
