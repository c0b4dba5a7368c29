#include "core/recon/chunk_lane.h"

#include <algorithm>
#include <utility>

#include "core/base/parallel.h"

namespace gantry {

ChunkLane::ChunkLane(const RunSetup& setup, VolumeSink& sink)
    : m_setup(setup),
      m_sink(sink),
      m_free(setup.plan.chunkSlots),
      m_finished(setup.plan.chunkSlots) {
    for (const PassPlan& pass : setup.plan.passes) {
        m_slicesLeft.push_back(0);
        for (const Assignment& part : pass.assignments)
            m_slicesLeft.back() += setup.slab(part.slab).slices.size();
    }
}

void ChunkLane::makeSlots(const Pin& pin) {
    const auto& voxels = m_setup.request.volume.voxels;
    const Index count = m_setup.plan.chunkSlices * voxels[0] * voxels[1];
    parallelFor(m_setup.plan.threads, m_setup.plan.chunkSlots, 1, [&](Index, Index, int) {
        Chunk chunk;
        chunk.voxels = HostBuffer<float>(count);
        if (pin) chunk.pinned = pin(chunk.voxels.data(), chunk.voxels.sizeBytes());
        m_free.push(std::move(chunk), {});
    });
}

void ChunkLane::publish(Index slab, const std::stop_token& stop, const Read& read,
                        const std::function<void()>& afterLast) {
    const auto [nX, nY, nZ] = m_setup.request.volume.voxels;
    const IndexRanges& slices = m_setup.slab(slab).slices;
    for (const IndexRange& part : slices.parts())
        for (Index z = part.begin; z < part.end; z += m_setup.plan.chunkSlices) {
            Chunk chunk = *m_free.pop(stop);
            chunk.slab = slab;
            chunk.slices = {z, std::min(z + m_setup.plan.chunkSlices, part.end)};
            read(chunk.slices, {chunk.voxels.data(), chunk.slices.size(), nY, nX});
            if (chunk.slices.end == slices.hull().end) afterLast();
            m_finished.push(std::move(chunk), stop);
        }
}

void ChunkLane::reportStored(Index slab, Index slices, const PassStored& passStored) {
    const Index pass = m_setup.passOf(slab);
    std::unique_lock lock(m_passMutex);
    m_slicesLeft[static_cast<std::size_t>(pass)] -= slices;
    if (m_slicesLeft[static_cast<std::size_t>(pass)] > 0) return;
    m_stored.push_back(pass);
    if (m_isReporting) return;  // the thread that reports comes to this pass
    m_isReporting = true;
    while (!m_stored.empty()) {
        const Index next = m_stored.front();
        m_stored.pop_front();
        lock.unlock();  // other threads store meanwhile
        passStored(next);
        lock.lock();
    }
    m_isReporting = false;
}

void ChunkLane::store(Lane& lane, const PassStored& passStored) {
    const auto [nX, nY, nZ] = m_setup.request.volume.voxels;
    const int threads = std::max(1, m_setup.plan.threads / m_setup.plan.storeLanes);
    while (std::optional<Chunk> chunk = m_finished.pop(lane.stop())) {
        const Span3<const float> voxels = {chunk->voxels.data(), chunk->slices.size(), nY, nX};
        const Index zBegin = chunk->slices.begin;
        lane.measure(Stage::store,
                     {chunk->slab, zBegin / m_setup.plan.chunkSlices,
                      voxels.count() * Index{sizeof(float)}, 0},
                     [&] {
                         m_sink.write(zBegin, voxels, threads);
                         reportStored(chunk->slab, chunk->slices.size(), passStored);
                     });
        m_free.push(std::move(*chunk), lane.stop());
    }
}

}  // namespace gantry
