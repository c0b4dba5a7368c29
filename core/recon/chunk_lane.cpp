#include "core/recon/chunk_lane.h"

#include <algorithm>
#include <utility>

#include "core/base/parallel.h"

namespace gantry {

ChunkLane::ChunkLane(const PlannedJob& job, VolumeStore& store)
    : m_job(job), m_store(store), m_free(job.plan.chunkSlots), m_finished(job.plan.chunkSlots) {
    for (const PassPlan& pass : job.passes)
        m_slicesLeft.push_back(job.slab(pass.slabs.end - 1).slices.end -
                               job.slab(pass.slabs.begin).slices.begin);
}

void ChunkLane::makeSlots(const Pin& pin) {
    const auto& voxels = m_job.spec.volume.voxels;
    const Index count = m_job.plan.chunkSlices * voxels[0] * voxels[1];
    parallelFor(m_job.plan.threads, m_job.plan.chunkSlots, 1, [&](Index, Index, int) {
        Chunk chunk;
        chunk.voxels = HostBuffer<float>(count);
        if (pin) chunk.pinned = pin(chunk.voxels.data(), chunk.voxels.sizeBytes());
        m_free.push(std::move(chunk), {});
    });
}

void ChunkLane::handOn(Index slab, const std::stop_token& stop, const Read& read,
                       const std::function<void()>& afterLast) {
    const auto [nX, nY, nZ] = m_job.spec.volume.voxels;
    const IndexRange slices = m_job.slab(slab).slices;
    for (Index z = slices.begin; z < slices.end; z += m_job.plan.chunkSlices) {
        Chunk chunk = *m_free.pop(stop);
        chunk.slab = slab;
        chunk.slices = {z, std::min(z + m_job.plan.chunkSlices, slices.end)};
        read(chunk.slices, {chunk.voxels.data(), chunk.slices.size(), nY, nX});
        if (afterLast && chunk.slices.end == slices.end) afterLast();
        m_finished.push(std::move(chunk), stop);
    }
}

void ChunkLane::keepPasses(Index slab, Index slices,
                           const std::function<GateProgress(Index)>& gated) {
    const auto passOf = static_cast<std::size_t>(
        std::find_if(m_job.passes.begin(), m_job.passes.end(),
                     [&](const PassPlan& pass) { return pass.slabs.contains(slab); }) -
        m_job.passes.begin());
    std::unique_lock lock(m_keepMutex);
    m_slicesLeft[passOf] -= slices;
    if (m_isKeeping) return;  // the lane that keeps goes on to this pass
    // A device may be ahead of another by a slab.
    m_isKeeping = true;
    while (m_passesKept < m_job.passCount() &&
           m_slicesLeft[static_cast<std::size_t>(m_passesKept)] == 0) {
        const Index pass = m_passesKept++;
        lock.unlock();  // the other lanes store meanwhile
        m_store.keepSlab(m_job.pass(pass).slabs.end - 1, gated(pass));
        lock.lock();
    }
    m_isKeeping = false;
}

void ChunkLane::store(Lane& lane, const std::function<GateProgress(Index pass)>& gated) {
    const auto [nX, nY, nZ] = m_job.spec.volume.voxels;
    const int threads = std::max(1, m_job.plan.threads / m_job.plan.storeLanes);
    while (std::optional<Chunk> chunk = m_finished.pop(lane.stop())) {
        const Span3<const float> voxels = {chunk->voxels.data(), chunk->slices.size(), nY, nX};
        const Index zBegin = chunk->slices.begin;
        lane.measure(Stage::store,
                     {chunk->slab, zBegin / m_job.plan.chunkSlices,
                      voxels.count() * Index{sizeof(float)}, 0},
                     [&] {
                         m_store.write(zBegin, voxels, threads);
                         keepPasses(chunk->slab, chunk->slices.size(), gated);
                     });
        m_free.push(std::move(*chunk), lane.stop());
    }
}

}  // namespace gantry
