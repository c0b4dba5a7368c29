#include "core/recon/chunk_lane.h"

#include <algorithm>
#include <utility>

#include "core/base/parallel.h"

namespace gantry {

ChunkLane::ChunkLane(const RunSetup& setup, VolumeSink& sink)
    : m_setup(setup),
      m_sink(sink),
      m_free(setup.plan.chunkSlots),
      m_partial(setup.plan.chunkSlots),
      m_finished(setup.plan.chunkSlots) {
    for (Index pass = 0; pass < setup.passCount(); ++pass) {
        m_slicesLeft.push_back(0);
        for (const Assignment& part : setup.pass(pass).assignments)
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
    RingBuffer<Chunk>& next = isSummed() ? m_partial : m_finished;
    Index number = 0;
    for (const IndexRange& part : slices.parts())
        for (Index z = part.begin; z < part.end; z += m_setup.plan.chunkSlices) {
            Chunk chunk = *m_free.pop(stop);
            chunk.slab = slab;
            chunk.slices = {z, std::min(z + m_setup.plan.chunkSlices, part.end)};
            chunk.stored = chunk.slices;
            chunk.number = number++;
            read(chunk.slices, {chunk.voxels.data(), chunk.slices.size(), nY, nX});
            if (chunk.slices.end == slices.hull().end) afterLast();
            next.push(std::move(chunk), stop);
        }
}

void ChunkLane::sumWithRow(Chunk& chunk, Pieces& taken, std::shared_ptr<const void> memory,
                           const std::stop_token& stop) {
    RankGroup& row = *m_setup.groups.row;
    const auto ranks = static_cast<std::size_t>(row.size());
    const auto own = static_cast<std::size_t>(row.rank());
    const auto& voxels = m_setup.request.volume.voxels;
    const Index sliceVoxels = voxels[0] * voxels[1];
    const auto partOf = [&](std::size_t rank) {
        const IndexRange slices =
            partOfChunk(chunk.slices, chunk.number, row.size(), static_cast<Index>(rank));
        return std::span(chunk.voxels.data() + (slices.begin - chunk.slices.begin) * sliceVoxels,
                         static_cast<std::size_t>(slices.size() * sliceVoxels));
    };
    chunk.stored = partOfChunk(chunk.slices, chunk.number, row.size(), static_cast<Index>(own));
    const std::span<float> sum = partOf(own);
    std::vector<std::span<const std::byte>> give(ranks);
    std::vector<std::span<std::byte>> take(ranks);
    std::vector<const float*> summands(ranks, sum.data());
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (rank == own) continue;
        give[rank] = std::as_bytes(partOf(rank));
        take[rank] = std::as_writable_bytes(taken[rank].span().first(sum.size()));
        summands[rank] = taken[rank].data();
    }
    row.exchange(give, take, std::move(memory), stop);
    constexpr Index kPieceVoxels = 64 * 1024;
    parallelFor(m_setup.plan.threads, static_cast<Index>(sum.size()), kPieceVoxels,
                [&](Index begin, Index end, int) {
                    for (Index i = begin; i < end; ++i) {
                        float all = summands[0][i];
                        for (std::size_t rank = 1; rank < ranks; ++rank)
                            all += summands[rank][i];
                        sum[static_cast<std::size_t>(i)] = all;
                    }
                });
}

void ChunkLane::sum(Lane& lane) {
    const auto& voxels = m_setup.request.volume.voxels;
    const Index ranks = m_setup.groups.row->size();
    const Index max = (m_setup.plan.chunkSlices + ranks - 1) / ranks * voxels[0] * voxels[1];
    // MPI may still write to this memory when the thread is stopped, so a shared pointer keeps it.
    const auto taken = std::make_shared<Pieces>();
    for (Index rank = 0; rank < ranks; ++rank)
        taken->emplace_back(rank == m_setup.groups.row->rank() ? 0 : max);
    while (std::optional<Chunk> next = m_partial.pop(lane.stop())) {
        const auto held =
            std::make_shared<std::pair<Chunk, std::shared_ptr<Pieces>>>(std::move(*next), taken);
        Chunk& chunk = held->first;
        const Index bytes = chunk.slices.size() * voxels[0] * voxels[1] * Index{sizeof(float)};
        lane.measure(Stage::reduce, {chunk.slab, chunk.number, bytes, 0},
                     [&] { sumWithRow(chunk, *taken, held, lane.stop()); });
        m_finished.push(std::move(chunk), lane.stop());
    }
    m_finished.close();
}

void ChunkLane::reportStored(Index slab, Index slices, const PassStored& passStored) {
    const Index pass = m_setup.passOf(slab);
    std::unique_lock lock(m_passMutex);
    m_slicesLeft[static_cast<std::size_t>(pass)] -= slices;
    if (m_slicesLeft[static_cast<std::size_t>(pass)] > 0) return;
    m_stored.push_back(pass);
    if (m_isReporting) return;  // the thread that reports will report this pass too
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
        const Index zBegin = chunk->stored.begin;
        const Span3<const float> voxels = {
            chunk->voxels.data() + (zBegin - chunk->slices.begin) * nY * nX, chunk->stored.size(),
            nY, nX};
        lane.measure(Stage::store,
                     {chunk->slab, chunk->slices.begin / m_setup.plan.chunkSlices,
                      voxels.count() * Index{sizeof(float)}, 0},
                     [&] {
                         if (!chunk->stored.empty()) m_sink.write(zBegin, voxels, threads);
                         reportStored(chunk->slab, chunk->slices.size(), passStored);
                     });
        m_free.push(std::move(*chunk), lane.stop());
    }
}

}  // namespace gantry
