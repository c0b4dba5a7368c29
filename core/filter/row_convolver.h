#pragma once

#include <span>
#include <vector>

#include "core/base/types.h"
#include "core/filter/lane_kernel.h"

namespace gantry {

/// The kernels that this processor can run, slowest first; the portable one is always there.
[[nodiscard]] std::vector<const LaneKernel*> supportedLaneKernels();

/// Convolves rows with an even kernel, several at once in SIMD lanes. The transform is our own
/// because FFTW is under the GPL, and kissfft, which makes its tables, is six times slower.
/// A row's bits do not depend on the rows that are convolved with it. Several threads may call it,
/// each with its own scratch. Tests: tests/core/filter/row_convolver_test.cpp
class RowConvolver {
  public:
    /// Uses the fastest kernel that this processor can run.
    /// response: as rampResponse gives it, paddedLength(columns) points.
    RowConvolver(Index columns, std::span<const double> response)
        : RowConvolver(*supportedLaneKernels().back(), columns, response) {}
    RowConvolver(const LaneKernel& kernel, Index columns, std::span<const double> response);

    /// Max rows in one call of filter().
    [[nodiscard]] Index lanes() const { return m_kernel->lanes; }
    [[nodiscard]] Index scratchFloats() const { return 2 * m_length * lanes(); }
    void filter(const LaneRows& rows) const { m_kernel->filter(m_tables, rows); }

    RowConvolver(const RowConvolver&) = delete;
    RowConvolver& operator=(const RowConvolver&) = delete;

  private:
    void setResponse(std::span<const double> response);

    const LaneKernel* m_kernel;
    Index m_columns;
    Index m_length;  ///< complex points, half of the padded row
    LanePasses m_passes;
    std::vector<float> m_response;  ///< LaneTables::response
    std::vector<float> m_twist;     ///< LaneTables::twist
    LaneTables m_tables;
};

}  // namespace gantry
