#pragma once

#include <span>
#include <vector>

#include "core/filter/redundancy.h"
#include "core/geometry/views/aligned_views.h"

namespace gantry {

/// What FDK multiplies a line integral with before the ramp: steps 2 and 4 of the mathematics in
/// resources/help/architecture.md.
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
/// Kept as viewScale(u)/√(squareU(u) + squareV(v)), which all of these are: the numerator's second
/// factor is linear in x, a column's place, and the root that of 1 + ((x − foot)/D)² + (y/D)².
/// Several threads may read it.
/// Tests: tests/core/filter/cpu_filter_test.cpp, own_weights_test.cpp
class FdkWeights {
  public:
    FdkWeights(const AlignedViews& geometry, const RedundancyPlan& redundancy);

    /// Whether every view has its own squareU() and squareV(); otherwise those of view 0 apply to
    /// all.
    [[nodiscard]] bool areOwn() const { return !m_rays.empty(); }

    /// The columns that have weights: those of the padded detector with the columns beyond it
    /// of RedundancyPlan::extension, from `columnsBefore` before its first one on.
    [[nodiscard]] Index columns() const { return m_columns; }
    [[nodiscard]] Index columnsBefore() const { return m_before; }

    /// Numerators of one view, one for each of these columns, mm²·rad.
    void viewScale(Index view, std::span<float> scale) const;
    /// One for each column; 1 + (uMm/SDD)² on an aligned detector.
    void squareU(Index view, std::span<float> squares) const;
    /// For a detector row; (vMm/SDD)² on an aligned detector.
    [[nodiscard]] float squareV(Index view, Index row) const;

  private:
    /// Positions, mm, and the numerator's factor at x: constant + slope·x.
    struct Terms {
        double firstColumnMm = 0;
        double columnMm = 0;
        double firstRowMm = 0;
        double rowMm = 0;
        double constant = 0;
        double slope = 0;
        double footMm = 0;
        double distanceMm = 0;  ///< infinite for parallel rays
    };
    [[nodiscard]] static Terms alignedTerms(const AlignedDetector& detector);
    [[nodiscard]] static Terms ownTerms(const AlignedDetector& mean, const ViewRays& rays);
    [[nodiscard]] const Terms& termsOf(Index view) const {
        return m_terms[areOwn() ? static_cast<std::size_t>(view) : 0];
    }
    [[nodiscard]] double redundancy(std::size_t view, std::size_t column) const;

    [[nodiscard]] double placeOf(const Terms& terms, std::size_t column) const {
        const auto fromFirst = static_cast<double>(column) - static_cast<double>(m_before);
        return terms.firstColumnMm + fromFirst * terms.columnMm;
    }

    Index m_before;
    Index m_columns;
    Index m_detectorColumns;
    RayCover m_cover;
    std::vector<double> m_anglesDeg;
    std::vector<double> m_weightsRad;
    std::vector<double> m_across;  ///< [u], see rayAcross(); for aligned views
    std::vector<double> m_shared;  ///< [u], redundancy weights that all views have
    std::vector<ViewRays> m_rays;  ///< [s]; empty where all views are aligned
    std::vector<Terms> m_terms;    ///< [s], or one for all
};

}  // namespace gantry
