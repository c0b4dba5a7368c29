#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/base/host_buffer.h"
#include "core/prep/corrections.h"
#include "core/prep/line_integrals.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// The scan as it is planned, run and shown with these corrections; itself where none is done. Its
/// pixels are line integrals in float without bad pixels, which its source gives without zingers
/// and with the phase retrieved. Rings show only in all views together: a run's HeldViews,
/// sinogram() and loadViewStack() take them out.
/// @throws InputError where the corrections are not possible for its trajectory
/// Tests: tests/core/scan/held_views_test.cpp
[[nodiscard]] OpenScan corrected(OpenScan scan, const Corrections& corrections);

/// Rows of the detector that these are made from: for phase retrieval all of them.
[[nodiscard]] IndexRange rowsToCorrect(const OpenScan& stored, const Corrections& corrections,
                                       IndexRange rows);

/// What is done to single views: line integrals, without zingers, the phase retrieved. One view at
/// a time; several threads each take one of their own.
/// Tests: tests/core/scan/held_views_test.cpp
class ViewCorrector {
  public:
    /// stored: the scan before it is corrected(); both outlive it
    ViewCorrector(const OpenScan& stored, const Corrections& corrections)
        : m_stored(stored), m_corrections(corrections) {}

    /// pixels: of rows `read` of one view, as they are stored
    /// wanted: rows whose invalid pixels and zingers are counted, where they are within `counted`
    /// @returns line integrals of all rows that were read, [1][v][u], until the next call
    Span3<const float> apply(std::span<const std::byte> pixels, IndexRange read,
                             const IndexRanges& wanted, IndexRange counted, InvalidPixels& invalid);

  private:
    void toIntegralsOf(Span3<float> view, IndexRange read, const IndexRanges& wanted,
                       IndexRange counted, InvalidPixels& invalid);

    const OpenScan& m_stored;
    const Corrections& m_corrections;
    HostBuffer<float> m_view;
    std::optional<ZingerRemover> m_zingers;
    std::optional<PhaseRetriever> m_phase;
};

}  // namespace gantry
