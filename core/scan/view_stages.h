#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/engine/view_steps.h"
#include "core/pipeline/batch.h"
#include "core/prep/line_integrals.h"
#include "core/scan/open_scan.h"
#include "core/scan/view_corrector.h"

namespace gantry {

class CpuFilter;

/// Reads stored pixels of rows of one view.
/// @throws ViewError naming the view that cannot be read, or that holds no image
void readStoredRows(const OpenScan& scan, Index view, IndexRange rows, std::span<std::byte> pixels);

/// The first stage: reads stored pixels of a batch's views and stored rows, block by block, with up
/// to `threads` threads.
/// @throws Cancelled; ViewError as readStoredRows()
void loadViews(const OpenScan& scan, Batch& batch, int threads, const std::stop_token& stop);

/// The second stage: converts stored pixels to line integrals of the aligned detector. One batch at
/// a time.
class ViewPreparer {
  public:
    /// acquisition: outlives it.
    ViewPreparer(const Acquisition& acquisition, int threads);

    /// Makes a device prepare views from now on; for scans whose rows it resamples.
    void useDevice(std::unique_ptr<ViewSteps> steps) { m_steps = std::move(steps); }

    /// @returns the invalid pixels among the batch's stored rows within Batch::counted
    /// @throws Cancelled
    InvalidPixels prepare(Batch& batch, const std::stop_token& stop);

  private:
    InvalidPixels prepareOnDevice(Batch& batch, const std::stop_token& stop);
    InvalidPixels prepareBlock(Batch& batch, std::size_t part, const std::stop_token& stop);

    const Acquisition& m_acquisition;
    ViewCorrector m_corrector;  ///< for line integrals
    int m_threads;
    std::vector<HostBuffer<float>> m_scratch;  ///< one a worker, for rectification
    std::unique_ptr<ViewSteps> m_steps;        ///< of a device; null: the CPU prepares
};

/// The third stage, if the host does it: filters line integrals in place. columns: of the aligned
/// detector.
/// @throws Cancelled
void filterViews(CpuFilter& filter, Batch& batch, Index columns, const std::stop_token& stop);

}  // namespace gantry
