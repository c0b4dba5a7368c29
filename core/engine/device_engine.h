#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <stop_token>
#include <string>

#include "core/base/span3.h"
#include "core/base/types.h"
#include "core/engine/acquisition.h"
#include "core/engine/view_state.h"
#include "core/filter/filter_spec.h"
#include "core/geometry/volume_grid.h"
#include "core/prep/line_integrals.h"

namespace gantry {

/// The facts about a job that a device needs; all devices get the same except for slab sizes.
struct DeviceJob {
    const Acquisition* acquisition = nullptr;  ///< outlives the engine
    VolumeGrid volume;
    FilterSpec filter;
    ViewState handedOver = ViewState::filtered;
    std::string kernel;     ///< named as for --kernel; empty only where one is to be chosen
    Index batchViews = 0;   ///< max views in a batch
    Index maxRows = 0;      ///< max detector rows in a batch, of all its ranges
    Index maxSlices = 0;    ///< in a slab, of both its ranges
    int slabsAtOnce = 2;    ///< 2: one is read while the next is made
    Index chunkSlices = 0;  ///< max slices that are read at a time
    int threads = 1;        ///< host threads, for engines that compute there
};

/// A range of detector rows of all views of a batch, in host memory. Where several devices share
/// the batch, other rows lie between two views:
///     row v of view s, counted from 0, begins at first + s·viewStrideBytes + v·rowBytes
struct RowBlock {
    IndexRange rows;                   ///< of the aligned detector
    const std::byte* first = nullptr;  ///< row rows.begin of the batch's first view
    Index viewStrideBytes = 0;         ///< at least rows.size() · rowBytes
};

/// The part of a batch of views that one device takes: all columns of the detector rows that its
/// slab needs, which are one range or, for a slab of two ranges, may be two that lie apart.
/// ViewState::stored: rowBytes = columns of the source · size of its pixels, in its pixel type and
/// the host's byte order; the detector is then aligned, and its rows are those of the files.
/// Otherwise: floats in the columns of DeviceJob::acquisition->geometry, which are padded.
struct DeviceBatch {
    Index number = 0;  ///< number within the pass over the views, for spans
    IndexRange views;  ///< of the scan; at most DeviceJob::batchViews
    Index rowBytes = 0;
    /// The lower block comes first, each has at least one row; the second is empty where one is
    /// enough.
    std::array<RowBlock, 2> rowBlocks;

    [[nodiscard]] std::span<const RowBlock> blocks() const {
        return std::span(rowBlocks).first(rowBlocks[1].rows.empty() ? 1 : 2);
    }
    /// Rows of all blocks; at most DeviceJob::maxRows.
    [[nodiscard]] Index rowCount() const {
        return rowBlocks[0].rows.size() + rowBlocks[1].rows.size();
    }
};

/// Makes the slabs of one device, a GPU or the CPU. One thread begins, adds and finishes slabs, in
/// the order of its work; another one may read finished slabs meanwhile. Spans of the device's work
/// go to the sink as they end, on the host's clock.
/// Tests: tests/core/work/device_lanes_test.cpp, tests/core/cpu/cpu_engine_test.cpp,
///        tests/gpu/engine/gpu_engine_test.cpp
class DeviceEngine {
  public:
    virtual ~DeviceEngine() = default;

    /// Starts a slab at zero. Waits until one of the device's slabs is released.
    /// slices: one range, or two that may be each other's mirror image about the source's plane
    /// counted: stored rows whose invalid pixels count for this slab
    /// @throws Cancelled, ResourceError
    virtual void begin(Index slab, const IndexRanges& slices, IndexRange counted,
                       const std::stop_token& stop) = 0;

    /// Adds a batch in the state that the job names. Its memory is pinned where the backend can do
    /// so, and may be shared with other devices, which only read it. Returns when this engine no
    /// longer needs it; the device may still be working. All batches of a slab have the same rows;
    /// a slab whose footprint misses the detector gets none and stays zero.
    /// @throws Cancelled, ResourceError
    virtual void add(const DeviceBatch& batch, const std::stop_token& stop) = 0;

    /// States that the current slab has all its batches. Returns at once.
    virtual void finish() = 0;

    /// Waits for a finished slab's slices [slices.begin, slices.end) of the volume, at most
    /// DeviceJob::chunkSlices, and copies them; returns when `out` holds them. Slabs are read in
    /// the order in which they were finished, their slices upwards.
    /// out: attenuation, 1/mm; [z][y][x], x fastest; pinned where the backend can
    /// @throws ResourceError
    virtual void read(Index slab, IndexRange slices, Span3<float> out) = 0;

    /// States that the calling thread has read the slab, so its memory may be reused. @returns the
    /// invalid pixels that the device found in the slab's stored views
    virtual InvalidPixels release(Index slab) = 0;
};

/// Prepares and filters views on a device and returns them, where other processes need them too.
/// One thread uses it, while others may use the device's engine. Spans of the device's work go to
/// the sink on one timeline lane, on the host's clock. Tests: tests/core/recon/grid_run_test.cpp,
/// tests/gpu/engine/gpu_view_filter_test.cpp
class ViewFilter {
  public:
    virtual ~ViewFilter() = default;

    /// batch: in the state that the job names, stored or prepared; one range of rows. Its memory is
    ///        pinned where the backend can do so
    /// counted: stored rows of the batch whose invalid pixels count
    /// out: filtered views; [s][v][u], u fastest, the columns of DeviceJob::acquisition->geometry;
    ///      in host memory, pinned where possible; prepared views may be filtered in place
    /// @returns the invalid pixels found in stored views; returns when `out` holds the views
    /// @throws Cancelled, ResourceError
    virtual InvalidPixels apply(const DeviceBatch& batch, IndexRange counted, Span3<float> out,
                                const std::stop_token& stop) = 0;
};

}  // namespace gantry
