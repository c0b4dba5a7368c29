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
    for (const PassPlan& pass : setup.passes)
        m_slicesLeft.push_back(setup.slab(pass.slabs.end - 1).slices.end -
                               setup.slab(pass.slabs.begin).slices.begin);
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
    const IndexRange slices = m_setup.slab(slab).slices;
    for (Index z = slices.begin; z < slices.end; z += m_setup.plan.chunkSlices) {
        Chunk chunk = *m_free.pop(stop);
        chunk.slab = slab;
        chunk.slices = {z, std::min(z + m_setup.plan.chunkSlices, slices.end)};
        read(chunk.slices, {chunk.voxels.data(), chunk.slices.size(), nY, nX});
        if (afterLast && chunk.slices.end == slices.end) afterLast();
        m_finished.push(std::move(chunk), stop);
    }
}

void ChunkLane::reportPasses(Index slab, Index slices, const PassStored& passStored) {
    const auto passOf = static_cast<std::size_t>(
        std::find_if(m_setup.passes.begin(), m_setup.passes.end(),
                     [&](const PassPlan& pass) { return pass.slabs.contains(slab); }) -
        m_setup.passes.begin());
    std::unique_lock lock(m_passMutex);
    m_slicesLeft[passOf] -= slices;
    if (m_isReporting) return;  // the thread that reports comes to this pass
    // A device may be ahead of another by a slab.
    m_isReporting = true;
    while (m_passesReported < m_setup.passCount() &&
           m_slicesLeft[static_cast<std::size_t>(m_passesReported)] == 0) {
        const Index pass = m_passesReported++;
        lock.unlock();  // other threads store meanwhile
        passStored(pass);
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
                         reportPasses(chunk->slab, chunk->slices.size(), passStored);
                     });
        m_free.push(std::move(*chunk), lane.stop());
    }
}

}  // namespace gantry
