#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/engine/acquisition.h"
#include "core/prep/steps/correction_step.h"

namespace gantry {

/// Rows of one view as they are stored.
struct StoredRows {
    Index view = 0;  ///< its number among the stored ones
    IndexRange rows;
    std::span<const std::byte> pixels;
    IndexRanges wanted;  ///< the others are their neighbours
    /// Where the invalid pixels and zingers of wanted rows are counted.
    IndexRange counted;
};

/// Views of the scan as its steps see them; the scan outlives them.
[[nodiscard]] StoredViews storedViewsOf(const Acquisition& stored, const PhaseOptics& optics = {});

/// Runs the CPU's forms of the steps that see no other view, in the order of correctionSteps(). One
/// view at a time; several threads each need an instance of their own.
/// Tests: tests/core/scan/held_views_test.cpp, tests/core/scan/view_stages_test.cpp
class ViewCorrector {
  public:
    /// Does to the stored views what the corrections ask for. stored: outlives this
    ViewCorrector(const Acquisition& stored, const Corrections& corrections,
                  const PhaseOptics& optics = {});
    /// Makes the views of a corrected() scan from those that are stored. It outlives this.
    explicit ViewCorrector(const Acquisition& corrected)
        : ViewCorrector(corrected.asStored(), corrected.corrections, corrected.phase) {}

    /// found: invalid pixels and zingers are added to it
    /// @returns line integrals of all rows that were read, [1][v][u], valid until the next call
    [[nodiscard]] Span3<const float> apply(const StoredRows& stored, InvalidPixels& found);
    /// Makes line integrals alone. Several threads may call it.
    /// out: of all rows that were read, [1][v][u]
    void integrals(const StoredRows& stored, Span3<float> out, InvalidPixels& found) const;

  private:
    PixelType m_type;
    Corrections m_corrections;
    StoredViews m_views;
    std::vector<ViewCorrection> m_ofPixels;
    bool m_areOthersMade = false;  ///< at the first view; who takes integrals only needs none
    std::vector<ViewCorrection> m_others;
    HostBuffer<float> m_view;
};

}  // namespace gantry
