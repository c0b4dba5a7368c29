#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/index_ranges.h"
#include "core/base/span3.h"
#include "core/engine/acquisition.h"
#include "core/prep/line_integrals.h"

namespace gantry {

/// Rows of each view that are read together, and those of them that are wanted corrected: the
/// others are their neighbours.
struct StepRows {
    IndexRange read;
    IndexRanges wanted;
};

/// What a device is to do to the views of a scan between the stored pixels and the filter.
struct ViewStepsJob {
    const Acquisition* stored = nullptr;  ///< as the views come; outlives the steps
    Corrections corrections;
    PhaseOptics phase;
    bool areIntegrals = false;  ///< views come as line integrals in float, not as stored pixels
    Index blockViews = 0;       ///< max views that come at a time
    Index maxReadRows = 0;      ///< max rows that are read of a view, of all blocks together
    Index maxRows = 0;          ///< max rows wanted of a view
    /// All views stay on the device, so that rings are removed there; otherwise those that came
    /// last.
    bool isHeld = false;
    Index countSets = 1;  ///< see RowCounts
};

/// Into which count the invalid pixels and zingers of a detector row go: counts are told apart by
/// what asks for them later, for example a pass of the run. [row]; −1: none
using RowCounts = std::vector<std::int16_t>;
inline constexpr std::int16_t kNotCounted = -1;

/// The rows that these rows of a corrected scan are made from, in the blocks in which they are
/// read: all rows of the detector for phase retrieval.
[[nodiscard]] std::vector<StepRows> stepRows(const Acquisition& corrected, const IndexRanges& rows);

/// Rows that go into count 0, of a detector of that many.
[[nodiscard]] RowCounts countedOnce(Index detectorRows, IndexRange counted);

/// Whether the host must turn stored pixels into line integrals, because of what it alone can do:
/// fields that change over the scan, and dead pixels that are made from other rows.
[[nodiscard]] bool needsHostIntegrals(const Acquisition& stored);

/// Corrects views on a device with the CPU's results (core/scan/corrected_scan.h): line integrals,
/// then each step of single views, then those of all views. One thread uses it.
/// Tests: tests/gpu/engine/gpu_view_steps_test.cpp
class ViewSteps {
  public:
    virtual ~ViewSteps() = default;

    /// Forgets all views and takes these rows from now on.
    /// counts: for all rows of the detector; those that are not wanted are not counted
    virtual void begin(std::span<const StepRows> blocks, const RowCounts& counts) = 0;

    /// Corrects views, which stay until they are read.
    /// pixels: [s][v][u] of each block, in the state that the job names; pinned where possible.
    /// Returns when they are no longer needed; the device may still be working.
    /// @throws Cancelled, ResourceError
    virtual void correct(IndexRange views, std::span<const std::span<const std::byte>> pixels,
                         const std::stop_token& stop) = 0;

    /// Does the steps that see all views, to those that are held on the device: all of the scan.
    /// @throws Cancelled, ResourceError
    virtual void correctAllViews(const std::stop_token& stop) = 0;

    /// The same to rows in host memory, some of them after the other; pinned where possible.
    /// views: line integrals, [s][v][u], all views of the scan; rows: of those v
    /// @throws Cancelled, ResourceError
    virtual void correctAllViews(Span3<float> views, IndexRange rows,
                                 const std::stop_token& stop) = 0;

    /// Copies wanted rows, counted through all blocks, of views that are on the device.
    /// out: [s][v][u], pinned where possible
    virtual void read(IndexRange views, IndexRange rows, Span3<float> out) = 0;

    /// Copies rows of the upright detector, which are resampled from a block's wanted rows by the
    /// scan's Rectifier.
    /// out: [s][v][u], the views viewStride floats apart; pinned where possible
    virtual void resample(IndexRange views, std::size_t block, IndexRange rows, float* out,
                          Index viewStride) = 0;

    /// One of the counts of views that were corrected since begin().
    [[nodiscard]] virtual InvalidPixels invalidIn(IndexRange views, Index count) = 0;
};

}  // namespace gantry
