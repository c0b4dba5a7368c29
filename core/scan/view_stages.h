#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/pipeline/batch.h"
#include "core/prep/line_integrals.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// The first two stages of a projection's walk: stored pixels into a batch, and stored pixels to
/// line integrals of the aligned detector.
/// load() and prepare() may run on two threads at once, each on its own batch.
class ViewStages {
  public:
    /// scan: outlives it.
    ViewStages(const OpenScan& scan, int threads);

    /// @throws Cancelled; ViewError naming the view that cannot be read
    void load(Batch& batch, const std::stop_token& stop) const;

    /// @returns the invalid pixels among the batch's rows from Batch::countFrom on
    /// @throws Cancelled
    InvalidPixels prepare(Batch& batch, const std::stop_token& stop);

  private:
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const;
    InvalidPixels toIntegrals(Index firstRow, Span3<float> view) const;

    const OpenScan& m_scan;
    int m_threads;
    std::vector<HostBuffer<float>> m_scratch;  ///< one a worker, for rectification
};

}  // namespace gantry
