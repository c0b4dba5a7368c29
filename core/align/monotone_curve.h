#pragma once

#include <vector>

namespace gantry {

/// A smooth curve through points that goes nowhere beyond them: piecewise cubic, as high between
/// two points as these at the max (Fritsch and Butland 1984). Before the first point and behind the
/// last one it is constant.
/// Tests: tests/core/align/drift_test.cpp
class MonotoneCurve {
  public:
    /// x: ascending, each once; at least one point
    MonotoneCurve(std::vector<double> x, std::vector<double> y);
    [[nodiscard]] double at(double x) const;

  private:
    std::vector<double> m_x;
    std::vector<double> m_y;
    std::vector<double> m_slopes;  // at the points
};

}  // namespace gantry
