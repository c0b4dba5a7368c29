#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/base/types.h"
#include "core/filter/row_convolver.h"

struct fftwf_plan_s;

namespace gantry {

/// RowConvolver's work done by FFTW, one zero-padded row at a time; only in a build with
/// GANTRY_USE_FFTW. A row gives the same bits in every run.
/// Several threads may call it, each with its own scratch.
/// Tests: tests/core/filter/cpu_filter_test.cpp
class FftwConvolver {
  public:
    /// response: as rampResponse gives it, paddedLength(columns) points.
    FftwConvolver(Index columns, std::span<const double> response);

    /// Rows that one call of filter() takes at most.
    [[nodiscard]] static Index lanes() { return 1; }
    /// The padded row, and its spectrum in the same place.
    [[nodiscard]] Index scratchFloats() const { return m_length + 2; }
    void filter(const LaneRows& rows) const;

  private:
    struct PlanDeleter {
        void operator()(fftwf_plan_s* plan) const noexcept;
    };

    Index m_columns;
    Index m_length;                 ///< floats of the padded row
    std::vector<float> m_response;  ///< [m_length / 2 + 1], with the transform's factor 1/m_length
    std::unique_ptr<fftwf_plan_s, PlanDeleter> m_forward;
    std::unique_ptr<fftwf_plan_s, PlanDeleter> m_inverse;
};

/// What this build's filter convolves with. For the sources of this folder: no other knows of
/// GANTRY_USE_FFTW.
#ifdef GANTRY_USE_FFTW
using Convolver = FftwConvolver;
#else
using Convolver = RowConvolver;
#endif

}  // namespace gantry
