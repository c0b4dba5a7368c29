#pragma once

#include <cuda_runtime_api.h>

#include "core/base/types.h"
#include "gpu/device/device_buffer.h"
#include "gpu/kernels/project/ray_views.h"

namespace gantry {

/// Copies between host memory, where slices [z][y][x] and views [s][v][u] have x and u fastest, and
/// a device, where volumes [y][x][z] and rays [s][u][v] have z and v fastest. Some slices or views
/// at a time go by way of a buffer there. Returns when all is copied. The device must be current;
/// not thread-safe.
/// Tests: tests/gpu/engine/gpu_projector_test.cpp, tests/gpu/engine/gpu_space_test.cpp
class ColumnCopies {
  public:
    explicit ColumnCopies(cudaStream_t stream) : m_stream(stream) {}

    /// slices: of the slab, whose columns begin at slab.voxels
    void toSlab(const float* host, IndexRange slices, const gpu::RaySlab& slab);
    void toHost(const gpu::RaySlab& slab, IndexRange slices, float* host);
    void toRays(const float* host, const gpu::RayRows& rows);
    void toHost(const gpu::RayRows& rows, float* host);

    /// Device memory that copies of slices and views of so many floats take at most, bytes.
    [[nodiscard]] static Index bytesNeeded(Index sliceVoxels, Index viewPixels);

  private:
    template <class Work>
    void forEachPiece(Index parts, Index partFloats, const Work& work);

    cudaStream_t m_stream;
    DeviceBuffer<float> m_piece;
};

}  // namespace gantry
