#pragma once

#include <cstddef>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/engine/acquisition.h"
#include "core/prep/corrections.h"
#include "core/prep/line_integrals.h"
#include "core/prep/steps/correction_step.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// The scan with these corrections, as it is planned, run and shown; the scan itself if there are
/// none. Its pixels are selected() first, unless they were already. Where modules are to be
/// levelled they become levelled(). Where the beam is to be measured that is done here, unless it
/// was before for the same files (OpenScan::airBeams), and becomes the views' offsets; by all
/// threads that there are for `threads` 0. If other corrections change pixels, these are line
/// integrals in float without bad pixels; its source has made those of single views. HeldViews of a
/// run, sinogram() and loadViewStack() make those that need all views.
/// @throws InputError where the corrections are not possible for its trajectory or its views;
///         Cancelled, and what reading views throws, where modules or the beam are to be measured
/// Tests: tests/core/scan/held_views_test.cpp, tests/core/scan/air_beam_test.cpp
[[nodiscard]] OpenScan corrected(OpenScan scan, const Corrections& corrections, int threads = 0,
                                 const std::stop_token& stop = {});

/// Makes line integrals of single views and corrects them by all steps that see no other view. One
/// view at a time; several threads each need an instance of their own.
/// Tests: tests/core/scan/held_views_test.cpp
class ViewCorrector {
  public:
    /// corrected: outlives this
    explicit ViewCorrector(const Acquisition& corrected)
        : m_stored(corrected.asStored()),
          m_corrections(corrected.corrections),
          m_views({corrected.stored.views, corrected.stored.rows, corrected.stored.columns,
                   corrected.phase}) {}

    /// pixels: rows `read` of one view, as stored; storedView: its number among the stored ones
    /// wanted: rows whose invalid pixels and zingers are counted, if they are within `counted`
    /// @returns line integrals of all rows that were read, [1][v][u], valid until the next call
    Span3<const float> apply(Index storedView, std::span<const std::byte> pixels, IndexRange read,
                             const IndexRanges& wanted, IndexRange counted, InvalidPixels& invalid);
    /// The same without the steps: only line integrals.
    Span3<float> integrals(Index storedView, std::span<const std::byte> pixels, IndexRange read,
                           const IndexRanges& wanted, IndexRange counted, InvalidPixels& invalid);

  private:
    void toIntegralsOf(Index storedView, Span3<float> view, IndexRange read,
                       const IndexRanges& wanted, IndexRange counted, InvalidPixels& invalid);

    const Acquisition& m_stored;
    const Corrections& m_corrections;
    StepViews m_views;
    HostBuffer<float> m_view;
    bool m_areStepsMade = false;  ///< at the first view; who takes integrals only needs none
    std::vector<ViewCorrection> m_steps;
};

}  // namespace gantry
