#pragma once

#include <memory>
#include <span>

#include "core/iterate/iteration_space.h"
#include "gpu/device/device_buffer.h"
#include "gpu/engine/column_copies.h"
#include "gpu/engine/device_rays.h"
#include "gpu/kernels/iterate/vectors.h"

namespace gantry {

/// How the vectors of a space lie on a device: volumes [y][x][z], gradients [axis][y][x][z], views
/// [s][u][v]. What lies behind the last slice or row is 0. Slices are counted from the first that
/// the space has. The device must be current; not thread-safe. Tests:
/// tests/gpu/engine/gpu_space_test.cpp
class DeviceVectors {
  public:
    /// allSlices: that volumes have with those of other parts
    DeviceVectors(const SpaceShape& shape, Index allSlices, const DeviceRays& rays,
                  cudaStream_t stream);

    [[nodiscard]] const gpu::ColumnLayout& layout() const { return m_layout; }
    [[nodiscard]] DeviceBuffer<float> zeros(Index floats) const;
    void clear(const DeviceBuffer<float>& buffer) const { clear(buffer.data(), buffer.count()); }
    void clear(float* values, Index floats) const;

    /// See IterationSpace.
    [[nodiscard]] std::unique_ptr<IterationVector> make(VectorKind kind, Index views) const;
    void write(IterationVector& vector, Index first, std::span<const float> values);
    void read(const IterationVector& vector, Index first, std::span<float> out);
    [[nodiscard]] static const DeviceBuffer<float>& valuesOf(const IterationVector& vector);

    /// A volume, or that of an axis of a gradient.
    [[nodiscard]] gpu::RaySlab slabAt(const DeviceBuffer<float>& volume, Index axis = 0) const;
    /// Where a view begins.
    [[nodiscard]] float* raysAt(float* rays, Index view) const {
        return rays + view * m_rays.viewFloats();
    }
    [[nodiscard]] float* raysAt(const DeviceBuffer<float>& rays, Index view) const {
        return raysAt(rays.data(), view);
    }
    [[nodiscard]] cudaStream_t stream() const { return m_stream; }
    /// pixels: [v][u] of the view
    void setView(const DeviceBuffer<float>& rays, Index view, const float* pixels);
    /// What is in some rows of views, which follow each other at `rays`, [s][v][u]; and back.
    void readRows(float* rays, IndexRange views, IndexRange rows, float* out);
    void writeRows(const float* values, IndexRange views, IndexRange rows, float* rays);
    /// slices: [z][y][x]
    void setSlices(const DeviceBuffer<float>& volume, IndexRange slices, const float* voxels) {
        m_copies.toSlab(voxels, slices, slabAt(volume));
    }
    void getSlices(const gpu::RaySlab& slab, IndexRange slices, float* out) {
        m_copies.toHost(slab, slices, out);
    }

  private:
    template <class T, class CopySlices, class CopyViews>
    void forEachPart(const IterationVector& vector, Index first, std::span<T> values,
                     const CopySlices& copySlices, const CopyViews& copyViews) const;

    SpaceShape m_shape;
    Index m_allSlices;
    const DeviceRays& m_rays;
    cudaStream_t m_stream;
    ColumnCopies m_copies;
    gpu::RaySlab m_slab;
    gpu::ColumnLayout m_layout;
};

}  // namespace gantry
