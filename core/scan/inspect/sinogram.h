#pragma once

#include <span>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// What is assumed of a scan, by which rays that measure the same are found.
struct RayAssumption {
    double axisColumn = 0;   ///< of the detector, on which the rotation axis is seen
    double columnsAway = 0;  ///< of the source from the detector, in columns; 0: parallel rays
    double angleScale = 1;   ///< true angles over those that are stated
    int sense = 1;           ///< -1: the gantry turns the other way
    bool withTurns = false;  ///< rays that are measured again a turn later count, too
};

/// How alike rays are that should measure the same.
struct RayAgreement {
    Index rays = 0;
    Index columns = 0;    ///< in which they begin
    double mismatch = 0;  ///< mean square of their differences, without what noise adds to it
    double noise = 0;     ///< what noise adds to it
    double variance = 0;  ///< of their line integrals
    double moving = 0;    ///< mean variance of their columns from view to view
    double perStep = 0;   ///< mean square by which their columns change from a view to the next
};

/// The line integrals of the mid-plane from all sides, with which conjugate rays are compared: the
/// ray at gantry angle β that passes the axis at the angle γ measures the same as the one at
/// β + 180° − 2γ that passes it at −γ.
/// Several threads may read it. Tests: tests/core/scan/sinogram_test.cpp
class Sinogram {
  public:
    /// anglesDeg: gantry angles, in any order; values: [view][u], line integrals; binning: columns
    /// of the detector that each was averaged from; stepDeg: the scan's usual step, as far as which
    /// views stand for angles beyond the ends
    Sinogram(std::span<const double> anglesDeg, std::vector<float> values, Index binning,
             double stepDeg);

    /// Columns of the detector.
    [[nodiscard]] Index columns() const { return m_columns * m_binning; }
    [[nodiscard]] Index binnedColumns() const { return m_columns; }
    [[nodiscard]] Index binning() const { return m_binning; }
    [[nodiscard]] Index views() const { return std::ssize(m_anglesDeg); }
    /// Views are counted in ascending order of their angles.
    [[nodiscard]] double angleDeg(Index view) const { return m_anglesDeg[view]; }
    /// [u] of a view, binned
    [[nodiscard]] std::span<const float> values(Index view) const {
        return {row(view), static_cast<std::size_t>(m_columns)};
    }
    /// The median step between the angles.
    [[nodiscard]] double stepDeg() const { return m_stepDeg; }
    [[nodiscard]] double noise() const { return m_noise; }    ///< its variance
    [[nodiscard]] double moving() const { return m_moving; }  ///< as RayAgreement, of all columns

    /// The same with so many of its columns averaged into one.
    [[nodiscard]] Sinogram binned(Index factor) const;

    /// Compares the rays of about 90 of its views with their partners in all of them.
    [[nodiscard]] RayAgreement agreement(const RayAssumption& assumed) const;

  private:
    class Sums;
    // Where the partners of a column's rays are.
    struct Partner {
        double laterDeg = 0;  // behind the ray
        Index column = -1;    // left of it; -1: beside the detector
        float share = 0;      // of the column to the right
    };
    void findNoise();
    void findMotion();
    [[nodiscard]] const float* row(Index view) const { return &m_values[view * m_columns]; }
    [[nodiscard]] std::vector<Partner> conjugates(const RayAssumption& assumed) const;
    void compare(const std::vector<Partner>& partners, double turnDeg, bool goesRound,
                 Sums& sums) const;

    std::vector<double> m_anglesDeg;  // ascending
    std::vector<float> m_values;
    Index m_columns;
    Index m_binning;
    double m_reachDeg;
    double m_stepDeg = 0;
    double m_noise = 0;
    double m_moving = 0;
    std::vector<float> m_columnMoving, m_columnPerStep;
};

}  // namespace gantry
