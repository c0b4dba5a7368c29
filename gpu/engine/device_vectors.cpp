#include "gpu/engine/device_vectors.h"

#include <cstddef>

#include "core/base/error.h"
#include "gpu/device/cuda_check.h"

namespace gantry {

namespace {

struct DeviceVector final : IterationVector {
    DeviceVector(VectorKind kind, Index parts, Index partCount, DeviceBuffer<float> zeros)
        : IterationVector(kind, parts, partCount), values(std::move(zeros)) {}
    DeviceBuffer<float> values;
};

// Some of the rows of each view, for copies: the others stay between them.
gpu::RayRows detectorRowsOf(const gpu::RayRows& all, IndexRange rows) {
    gpu::RayRows some = all;
    some.values += rows.begin;
    some.nV = static_cast<int>(rows.size());
    return some;
}

}  // namespace

DeviceVectors::DeviceVectors(const SpaceShape& shape, Index allSlices, const DeviceRays& rays,
                             cudaStream_t stream)
    : m_shape(shape), m_allSlices(allSlices), m_rays(rays), m_stream(stream), m_copies(stream) {
    for (std::size_t i = 0; i < 3; ++i)
        m_slab.n[i] = static_cast<int>(shape.voxels[i]);
    m_slab.pitchZ = static_cast<int>(gpu::pitchOf(shape.voxels[2]));
    m_layout.columns = shape.sliceVoxels();
    m_layout.nX = m_slab.n[0];
    m_layout.nZ = m_slab.n[2];
    m_layout.pitchZ = m_slab.pitchZ;
}

DeviceBuffer<float> DeviceVectors::zeros(Index floats) const {
    DeviceBuffer<float> buffer(floats);
    clear(buffer);
    return buffer;
}

void DeviceVectors::clear(float* values, Index floats) const {
    check(cudaMemsetAsync(values, 0, static_cast<std::size_t>(floats) * sizeof(float), m_stream),
          "zeroing a vector");
}

std::unique_ptr<IterationVector> DeviceVectors::make(VectorKind kind, Index views) const {
    if (kind == VectorKind::views)
        return std::make_unique<DeviceVector>(kind, views, m_shape.viewRays(),
                                              zeros(views * m_rays.viewFloats()));
    const Index values = kind == VectorKind::gradient ? 3 : 1;
    return std::make_unique<DeviceVector>(kind, m_allSlices, values * m_shape.sliceVoxels(),
                                          zeros(values * m_layout.count()));
}

const DeviceBuffer<float>& DeviceVectors::valuesOf(const IterationVector& vector) {
    return dynamic_cast<const DeviceVector&>(vector).values;
}

gpu::RaySlab DeviceVectors::slabAt(const DeviceBuffer<float>& volume, Index axis) const {
    gpu::RaySlab slab = m_slab;
    slab.voxels = volume.data() + axis * m_layout.count();
    return slab;
}

void DeviceVectors::setView(const DeviceBuffer<float>& rays, Index view, const float* pixels) {
    m_copies.toRays(pixels, m_rays.rows({view, view + 1}, raysAt(rays, view)));
}

void DeviceVectors::readRows(float* rays, IndexRange views, IndexRange rows, float* out) {
    m_copies.toHost(detectorRowsOf(m_rays.rows(views, rays), rows), out);
}

void DeviceVectors::writeRows(const float* values, IndexRange views, IndexRange rows, float* rays) {
    m_copies.toRays(values, detectorRowsOf(m_rays.rows(views, rays), rows));
}

template <class T, class CopySlices, class CopyViews>
void DeviceVectors::forEachPart(const IterationVector& vector, Index first, std::span<T> values,
                                const CopySlices& copySlices, const CopyViews& copyViews) const {
    const Index parts = std::ssize(values) / vector.partCount();
    const bool areViews = vector.kind() == VectorKind::views;
    require(first >= 0 && first + parts <= (areViews ? vector.parts() : m_shape.voxels[2]) &&
                parts * vector.partCount() == std::ssize(values),
            "parts that a vector lacks");
    const DeviceBuffer<float>& all = valuesOf(vector);
    const IndexRange range = {first, first + parts};
    if (areViews) {
        copyViews(m_rays.rows(range, raysAt(all, first)), values.data());
        return;
    }
    if (vector.kind() == VectorKind::volume) {
        copySlices(slabAt(all), range, values.data());
        return;
    }
    // Slices of the three axes take turns.
    T* slice = values.data();
    for (Index z = range.begin; z < range.end; ++z)
        for (Index axis = 0; axis < 3; ++axis, slice += m_shape.sliceVoxels())
            copySlices(slabAt(all, axis), {z, z + 1}, slice);
}

void DeviceVectors::write(IterationVector& vector, Index first, std::span<const float> values) {
    forEachPart(
        vector, first, values,
        [&](const gpu::RaySlab& slab, IndexRange slices, const float* host) {
            m_copies.toSlab(host, slices, slab);
        },
        [&](const gpu::RayRows& rows, const float* host) { m_copies.toRays(host, rows); });
}

void DeviceVectors::read(const IterationVector& vector, Index first, std::span<float> out) {
    forEachPart(
        vector, first, out,
        [&](const gpu::RaySlab& slab, IndexRange slices, float* host) {
            m_copies.toHost(slab, slices, host);
        },
        [&](const gpu::RayRows& rows, float* host) { m_copies.toHost(rows, host); });
}

}  // namespace gantry
