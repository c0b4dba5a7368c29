#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>

#include "core/base/parallel.h"
#include "core/base/types.h"
#include "gpu/device/device_buffer.h"
#include "gpu/device/stream.h"
#include "gpu/kernels/project/ray_views.h"

namespace gantry {

/// Copies between host memory, where slices [z][y][x] and views [s][v][u] have x and u fastest, and
/// a device, where volumes [y][x][z] and rays [s][u][v] have z and v fastest. Some slices or views
/// at a time go by way of a buffer there, and of two in pinned host memory, from which a device
/// reads at full speed while threads fill the other. Returns when all is copied. The device must be
/// current; not thread-safe.
/// Tests: tests/gpu/engine/gpu_projector_test.cpp, tests/gpu/engine/gpu_space_test.cpp
class ColumnCopies {
  public:
    explicit ColumnCopies(cudaStream_t stream) : m_stream(stream) {}

    /// slices: of the slab, whose columns begin at slab.voxels
    void toSlab(const float* host, IndexRange slices, const gpu::RaySlab& slab);
    void toHost(const gpu::RaySlab& slab, IndexRange slices, float* host);
    void toRays(const float* host, const gpu::RayRows& rows);
    void toHost(const gpu::RayRows& rows, float* host);
    /// The same, added to what is there.
    void addToHost(const gpu::RayRows& rows, float* host);

    /// Device memory that copies of slices and views of so many floats take at most, bytes.
    [[nodiscard]] static Index bytesNeeded(Index sliceVoxels, Index viewPixels);

  private:
    /// A piece on its way.
    struct Stage {
        PinnedBuffer<float> pinned;
        Event passed;           ///< the device has read or filled it
        float* host = nullptr;  ///< where it goes, where it came from the device
        Index floats = 0;       ///< of it; 0: none
        bool isAdded = false;   ///< to what the host has
    };

    template <class Work>
    void forEachPiece(Index parts, Index partFloats, const Work& work);
    /// Between the host and the buffer on the device.
    void toDevice(const float* host, Index floats);
    void toHost(float* host, Index floats, bool isAdded);
    void toHost(const gpu::RayRows& rows, float* host, bool isAdded);
    Stage& nextStage(Index floats);
    void finish(Stage& stage) const;

    cudaStream_t m_stream;
    int m_threads = availableThreads();
    DeviceBuffer<float> m_piece;
    std::array<Stage, 2> m_stages;
    std::size_t m_pieces = 0;
};

}  // namespace gantry
