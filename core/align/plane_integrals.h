#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "core/align/differences.h"
#include "core/base/host_buffer.h"
#include "core/scan/stack/view_stack.h"

namespace gantry {

/// A line on the detector, v = v0 + slope·(u − middle column).
struct DetectorLine {
    double slope = 0;
    double v0 = 0;
};

/// What each view says about the planes through its source: how the object's integral over a plane
/// changes as the plane moves (Grangeat 1991),
///     F = (1 + ρ²)·∂/∂ρ ∫ p/√(1 + a² + b²) dt
/// along a line of the detector at the distance ρ from the foot of the source, all in units of the
/// source-detector distance. Two views give the same F to every plane through both their sources
/// (Debbeler 2013, Aichert 2015), so that differences tell wrong matrices. That needs the object
/// whole in every line: lines are left out that leave the detector above or below it.
/// Nearly level lines only, as those of sources on an orbit are.
/// Tests: tests/core/align/consistency_test.cpp
class PlaneIntegrals {
  public:
    /// Lines are sums over the stack's pixels; the matrices serve distances alone and may be some
    /// pixels and degrees off.
    /// @throws Cancelled, ResourceError
    PlaneIntegrals(const ViewStack& stack, std::span<const ProjectionMatrix> matrices, int threads,
                   const std::stop_token& stop = {});

    /// The object reaches beyond the left or right edge in no view, and there is one.
    [[nodiscard]] bool isWhole() const { return m_isWhole; }

    /// All pairs of views on `planes` planes each; what a line of the detector always differs by is
    /// taken away.
    /// @throws Cancelled
    [[nodiscard]] Differences differences(std::span<const ProjectionMatrix> matrices, Index planes,
                                          int threads, const std::stop_token& stop = {}) const;

  private:
    void sumLines(Span3<const float> views, Index s, const ProjectionMatrix& matrix,
                  std::vector<float>& weighted, std::vector<double>& sums);
    [[nodiscard]] double slopeIndex(double slope) const;
    [[nodiscard]] double at(Index s, const DetectorLine& line) const;

    Index m_rows;
    Index m_columns;
    Index m_slopes;
    std::vector<IndexRange> m_supports;  // [s]: columns of the object
    bool m_isWhole = true;
    HostBuffer<float> m_values;  // [s][slope][v0]: ∂/∂v0 of the sums, in pixels
};

}  // namespace gantry
