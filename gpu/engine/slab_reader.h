#pragma once

#include <array>

#include "core/base/span3.h"
#include "core/base/types.h"
#include "gpu/device/device_buffer.h"
#include "gpu/device/stream.h"
#include "gpu/engine/device_slab.h"
#include "gpu/engine/device_spans.h"

namespace gantry {

/// Copies finished slabs to the host on a queue of its own, while other slabs are made.
/// Belongs to one thread. Tests: tests/gpu/engine/gpu_engine_test.cpp
class SlabReader {
  public:
    /// Allocates all its device memory. grid: of the volume; chunkSlices: max slices a read()
    SlabReader(const VolumeGrid& grid, Index chunkSlices, bool zFastest);

    /// Waits until the device has passed `finished`, then copies; returns when `out` is filled.
    void read(const DeviceSlab& slab, const Event& finished, IndexRange slices, Span3<float> out,
              Index number, DeviceSpans& spans);

    [[nodiscard]] const Stream& stream() const { return m_stream; }

  private:
    struct Landing {
        PinnedBuffer<float> voxels;
        Event landed;
    };

    void readPieces(const DeviceSlab& slab, IndexRange slices, Span3<float> out, Index number,
                    DeviceSpans& spans);
    void readThroughLandings(const DeviceSlab& slab, IndexRange slices, Span3<float> out,
                             Index number, DeviceSpans& spans);
    void copyPiece(const DeviceSlab& slab, IndexRange piece, Span3<float> out, Index number,
                   DeviceSpans& spans);

    Index m_pieceSlices;
    Index m_sliceVoxels;
    // High priority, because transposing would otherwise wait for every back-projection launch to
    // end.
    Stream m_stream{Stream::Priority::high};
    DeviceBuffer<float> m_transposed;
    std::array<Landing, 2> m_landings;  ///< only where the host's memory is not pinned
};

}  // namespace gantry
