#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <span>

#include "core/base/span3.h"
#include "core/base/types.h"
#include "core/geometry/views/projection_matrix.h"
#include "core/geometry/volume_grid.h"
#include "gpu/device/device_buffer.h"
#include "gpu/device/stream.h"
#include "gpu/engine/cone_kernel.h"
#include "gpu/engine/device_spans.h"
#include "gpu/kernels/cone_batch.h"
#include "gpu/kernels/prepare/filtered_views.h"

namespace gantry {

inline constexpr Index kFloatBytes = sizeof(float);

/// Slices of a volume in device memory while views are added to them, in a kernel's order.
/// Its memory is kept between slabs. Not thread-safe, but one slab may be read while another is
/// filled. Tests: tests/gpu/engine/device_slab_test.cpp
class DeviceSlab {
  public:
    /// Zeroes these slices of the grid, on the stream.
    void begin(const VolumeGrid& grid, const IndexRanges& slices, bool zFastest,
               cudaStream_t stream);

    [[nodiscard]] const VolumeGrid& grid() const { return m_grid; }
    [[nodiscard]] const IndexRanges& slices() const { return m_slices; }
    /// All voxels of the slab; two ranges are equally high and are taken together.
    [[nodiscard]] gpu::ConeSlab voxels() const;
    /// The voxels of one range.
    [[nodiscard]] gpu::ConeSlab voxels(std::size_t part) const;

    /// The views' matrices on the voxels of a range of this slab and on the batch's rows.
    [[nodiscard]] gpu::ConeBatch batch(std::span<const ProjectionMatrix> matrices, Index firstRow,
                                       std::size_t part = 0) const;

    /// Copies finished slices of the volume, which lie within one range of the slab, to host memory
    /// as [z][y][x], on the stream. Those of a z-fastest slab are transposed in `transposed` on the
    /// device first, which must not be touched until the stream is done.
    void read(IndexRange slices, Span3<float> out, DeviceBuffer<float>& transposed,
              cudaStream_t stream) const;

    /// Slices to read() at a time: more are not faster and make `transposed` larger.
    [[nodiscard]] static Index slicesAtOnce(const VolumeGrid& grid, Index slices);
    /// Device memory of a slab, bytes.
    [[nodiscard]] static Index bytesNeeded(const VolumeGrid& grid, Index slices);
    /// Device memory that reading `slices` slices at a time takes, bytes.
    [[nodiscard]] static Index transposeBytes(const VolumeGrid& grid, Index slices, bool zFastest);

  private:
    [[nodiscard]] float* firstVoxel(std::size_t part) const;

    VolumeGrid m_grid;
    IndexRanges m_slices;
    bool m_zFastest = false;
    DeviceBuffer<float> m_voxels;
};

/// Adds views to slabs, one slab after the other. It gathers repacked batches until there are as
/// many views as the kernel adds fastest at once. Enqueues only. Not thread-safe. Tests:
/// tests/gpu/engine/parallel_kernel_test.cpp, gpu_engine_test.cpp
class SlabAdder {
  public:
    /// The kernel outlives this, and has room for roomFor() views.
    explicit SlabAdder(ConeKernel& kernel) : m_kernel(kernel) {}

    /// Views that the kernel needs room for on a scan of `views` views in batches of `batchViews`.
    [[nodiscard]] static Index roomFor(const ConeKernel& kernel, Index batchViews, Index views);

    /// Enqueues the work on the views, which work enqueued later may overwrite.
    /// matrices: one a view, world mm to pixels of the whole detector
    /// firstRow: detector row of the views' row 0; two blocks of views belong to the slab's two
    /// ranges
    /// @returns views that were added; some may come from calls before
    Index add(const DeviceSlab& slab, const gpu::FilteredViews& views,
              std::span<const ProjectionMatrix> matrices, Index firstRow, cudaStream_t stream);
    /// Views that are repacked but not added yet.
    [[nodiscard]] Index held() const { return m_held; }
    /// Adds the views that are held. @returns how many
    Index finish(const DeviceSlab& slab, cudaStream_t stream);

  private:
    Index addOrHold(const gpu::FilteredViews& views, const gpu::ConeBatch& batch,
                    const gpu::ConeSlab& slab, cudaStream_t stream);

    ConeKernel& m_kernel;
    gpu::ConeBatch m_batch = {};  ///< repacked last
    Index m_held = 0;
};

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
