#pragma once

#include <cstddef>
#include <span>

#include "core/base/host_buffer.h"
#include "core/project/projection_space.h"
#include "core/project/space_peers.h"
#include "gpu/device/device_buffer.h"
#include "gpu/engine/device_vectors.h"
#include "gpu/kernels/iterate/sums.h"

namespace gantry {

/// The part of a problem that a space on a device has, and what it exchanges with those that have
/// the others, by way of host memory. The device must be current; not thread-safe.
/// Tests: tests/gpu/engine/gpu_space_test.cpp
class DevicePart {
  public:
    explicit DevicePart(const SpaceTask& task);

    [[nodiscard]] SpacePeers& peers() { return m_peers; }
    [[nodiscard]] const SpaceShape& shape() const { return m_shape; }
    [[nodiscard]] const VolumeGrid& grid() const { return m_grid; }
    [[nodiscard]] ProjectedViews viewsOf(const ProjectedViews& all) const {
        return withRows(all, m_peers.part().rows);
    }
    [[nodiscard]] gpu::OwnRows ownRows() const;

    /// The parts of a vector that so many values are, and those of them that are here.
    struct Held {
        IndexRange parts;       ///< counted from the first that is here
        std::size_t begin = 0;  ///< in the values
        std::size_t count = 0;
        template <class T>
        [[nodiscard]] std::span<T> of(std::span<T> values) const {
            return values.subspan(begin, count);
        }
    };
    [[nodiscard]] Held heldOf(const IterationVector& vector, Index first, std::size_t values) const;

    /// Adds what other parts of the volume have in the rows that they see, too. rays: of these
    /// views
    void addRays(DeviceVectors& vectors, IndexRange views, float* rays);
    /// Gives slice z of the slab to the next part in that direction, and takes the one that the
    /// part behind gives.
    /// @returns [y][x], until the next call with the same `taken`; null where there is none behind
    [[nodiscard]] const float* passSlice(DeviceVectors& vectors, SpacePeers::Towards towards,
                                         const gpu::RaySlab& slab, Index z,
                                         DeviceBuffer<float>& taken);

  private:
    NoPeers m_none;
    SpacePeers& m_peers;
    VolumeGrid m_grid;
    SpaceShape m_shape;
    HostBuffer<float> m_room;  ///< rays or slices on their way
};

}  // namespace gantry
