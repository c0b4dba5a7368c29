#pragma once

#include <vector>

#include "core/base/host_buffer.h"
#include "core/base/span3.h"
#include "core/base/types.h"

namespace gantry {

/// Removes stripes along the views from sinograms of one size: in each scale of a wavelet transform
/// (Daubechies' 10 coefficients, mirrored ends), the band that is smooth along the views and
/// changes along u loses its low frequencies along the views, by 1 − exp(−k²/(2·dampCycles²)) at k
/// cycles a scan. Münch, Trtik, Marone, Stampanoni 2009, doi 10.1364/OE.17.008567, equations 4
/// to 6. Because all of it is linear, only the removed part is computed. One sinogram at a time.
/// Tests: tests/core/prep/rings_test.cpp
class StripeWavelets {
  public:
    /// levels: scales; a small sinogram has only those longer than the wavelet
    StripeWavelets(Index views, Index columns, Index levels, double dampCycles);

    /// views: [s][v][u]; row: the one to remove stripes from, in place
    void apply(Span3<float> views, Index row);

    [[nodiscard]] static Index workspaceBytes(Index views, Index columns, Index levels);

  private:
    /// Rows of floats, each `stride` after the one before.
    struct Rows {
        float* data;
        Index count;
        Index length;
        Index stride;
        [[nodiscard]] float* row(Index i) const { return data + i * stride; }
    };
    struct Level {
        Index views;
        Index columns;
        HostBuffer<float> smooth;   ///< [s][u], low in both directions
        HostBuffer<float> stripes;  ///< [s][u], low along the views and high along u
    };

    void analyse(const Rows& from, Level& to);
    void keepSlow(Level& level);
    /// Transforms stripes and smoother scales back to the rows of the scale below, and subtracts
    /// the result from these or replaces them.
    void synthesise(const Level& from, bool hasSmooth, const Rows& to, bool isSubtracted);

    double m_dampCycles;
    std::vector<Level> m_levels;
    HostBuffer<float> m_lines;  ///< [s][u], half as many views as the largest scale
    HostBuffer<float> m_line;   ///< scratch of a few rows
};

}  // namespace gantry
