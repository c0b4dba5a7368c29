#pragma once

#include <stop_token>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/pipeline/batch.h"
#include "core/prep/line_integrals.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// The first stage of a projection's walk: stored pixels of a batch's views and stored rows, with
/// up to that many threads. @throws Cancelled; ViewError naming the view that cannot be read
void loadViews(const OpenScan& scan, Batch& batch, int threads, const std::stop_token& stop);

/// The second stage: stored pixels to line integrals of the aligned detector. One batch at a time.
class ViewPreparer {
  public:
    /// acquisition: outlives it.
    ViewPreparer(const Acquisition& acquisition, int threads);

    /// @returns the invalid pixels among the batch's rows from Batch::countFrom on
    /// @throws Cancelled
    InvalidPixels prepare(Batch& batch, const std::stop_token& stop);

  private:
    InvalidPixels toIntegrals(Index firstRow, Span3<float> view) const;

    const Acquisition& m_acquisition;
    int m_threads;
    std::vector<HostBuffer<float>> m_scratch;  ///< one a worker, for rectification
};

}  // namespace gantry
