#include "gpu/engine/device_part.h"

#include <algorithm>
#include <iterator>

#include "core/backproject/columns_layout.h"
#include "core/base/error.h"
#include "gpu/device/cuda_check.h"

namespace gantry {

DevicePart::DevicePart(const SpaceTask& task)
    : m_none(task.grid.voxels[2], task.views.rows),
      m_peers(task.peers ? *task.peers : m_none),
      m_grid(task.grid.slab(m_peers.part().slices)),
      m_shape({.voxels = m_grid.voxels,
               .views = std::ssize(task.views.poses),
               .rows = m_peers.part().rows.size(),
               .columns = task.views.columns,
               .hasCounts = task.hasCounts}) {}

gpu::OwnRows DevicePart::ownRows() const {
    const SpacePart& part = m_peers.part();
    return {.isPart = part.ownRows != part.rows,
            .pitchV = static_cast<int>(gpu::pitchOf(m_shape.rows)),
            .begin = static_cast<int>(part.ownRows.begin - part.rows.begin),
            .end = static_cast<int>(part.ownRows.end - part.rows.begin)};
}

DevicePart::Held DevicePart::heldOf(const IterationVector& vector, Index first,
                                    std::size_t values) const {
    const IndexRange asked = {first, first + static_cast<Index>(values) / vector.partCount()};
    require(first >= 0 && asked.end <= vector.parts(), "parts that a vector lacks");
    const IndexRange here =
        vector.kind() == VectorKind::views ? IndexRange{0, vector.parts()} : m_peers.part().slices;
    const IndexRange both = {std::max(asked.begin, here.begin), std::min(asked.end, here.end)};
    if (both.empty()) return {};
    return {{both.begin - here.begin, both.end - here.begin},
            static_cast<std::size_t>((both.begin - asked.begin) * vector.partCount()),
            static_cast<std::size_t>(both.size() * vector.partCount())};
}

void DevicePart::addRays(DeviceVectors& vectors, IndexRange views, float* rays) {
    const IndexRange rows = m_peers.sharedRows();
    if (rows.empty()) return;
    const Index viewRays = rows.size() * m_shape.columns;
    const Index atOnce = m_peers.viewsAtOnce();
    for (Index s = views.begin; s < views.end; s += atOnce) {
        const IndexRange batch = {s, std::min(s + atOnce, views.end)};
        makeRoom(m_room, batch.size() * viewRays);
        float* place = vectors.raysAt(rays, s - views.begin);
        vectors.readRows(place, batch, rows, m_room.data());
        m_peers.addRays({m_room.data(), batch.size(), rows.size(), m_shape.columns}, rows.begin);
        vectors.writeRows(m_room.data(), batch, rows, place);
    }
}

const float* DevicePart::passSlice(DeviceVectors& vectors, SpacePeers::Towards towards,
                                   const gpu::RaySlab& slab, Index z, DeviceBuffer<float>& taken) {
    const bool isUp = towards == SpacePeers::Towards::above;
    if (!m_peers.hasBelow() && !m_peers.hasAbove()) return nullptr;
    const Index voxels = m_shape.sliceVoxels();
    const auto count = static_cast<std::size_t>(voxels);
    makeRoom(m_room, 2 * voxels);
    const std::span<float> give = m_room.span().first(count);
    const std::span<float> take = m_room.span().subspan(count, count);
    vectors.getSlices(slab, {z, z + 1}, give.data());
    m_peers.pass(towards, give, take);
    if (isUp ? !m_peers.hasBelow() : !m_peers.hasAbove()) return nullptr;
    taken.reserve(voxels);
    check(cudaMemcpyAsync(taken.data(), take.data(), count * sizeof(float), cudaMemcpyHostToDevice,
                          vectors.stream()),
          "copying a slice to the GPU");
    check(cudaStreamSynchronize(vectors.stream()), "copying a slice to the GPU");
    return taken.data();
}

}  // namespace gantry
