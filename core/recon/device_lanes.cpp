#include "core/recon/device_lanes.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel.h"

namespace gantry {

DeviceLanes::DeviceLanes(const RunSetup& setup, const EngineBackend& backend, GiveBack giveBack,
                         ChunkLane& chunks, RunProgress& progress, SpanSink sink,
                         std::int64_t originNs)
    : m_setup(setup),
      m_backend(backend),
      m_giveBack(std::move(giveBack)),
      m_chunks(chunks),
      m_progress(progress),
      m_sink(std::move(sink)),
      m_originNs(originNs),
      m_invalid(static_cast<std::size_t>(setup.passCount())) {
    for (std::size_t d = 0; d < setup.plan.devices.size(); ++d)
        m_devices.push_back(std::make_unique<Device>(setup.plan.ringSlots));
}

std::optional<Index> DeviceLanes::slabOf(std::size_t device, Index pass) const {
    for (const Assignment& part : m_setup.pass(pass).assignments)
        if (part.device == static_cast<Index>(device)) return part.slab;
    return std::nullopt;
}

BatchOutlet DeviceLanes::outlet() {
    return {[this](Batch batch, const std::stop_token& stop) { share(std::move(batch), stop); },
            [this] {
                for (const auto& device : m_devices)
                    device->batches.close();
            }};
}

void DeviceLanes::share(Batch batch, const std::stop_token& stop) {
    const Index pass = batch.pass;
    const std::shared_ptr<const Batch> shared(new Batch(std::move(batch)), [this](Batch* done) {
        m_giveBack(std::move(*std::unique_ptr<Batch>(done)));
    });
    for (std::size_t d = 0; d < m_devices.size(); ++d)
        if (slabOf(d, pass)) m_devices[d]->batches.push(shared, stop);
}

DeviceBatch DeviceLanes::rowsFor(const Batch& batch, const IndexRanges& rows) const {
    const bool isStored = m_setup.plan.handedOver == ViewState::stored;
    DeviceBatch part;
    part.number = batch.number;
    part.views = batch.views;
    part.rowBytes =
        isStored ? m_setup.scan.storedRowBytes() : m_setup.columns() * Index{sizeof(float)};
    const std::byte* memory =
        isStored ? batch.stored.data() : reinterpret_cast<const std::byte*>(batch.values.data());
    const std::span<const IndexRange> held = batch.rows.parts();
    for (std::size_t i = 0; i < rows.parts().size(); ++i) {
        const IndexRange wanted = rows.parts()[i];
        const std::size_t from = held.back().contains(wanted.begin) ? held.size() - 1 : 0;
        require(held[from].contains(wanted.begin) && wanted.end <= held[from].end,
                "a device needs rows that were not read");
        const Index before =
            batch.views.size() * rowsBefore(batch.rows, from) + wanted.begin - held[from].begin;
        part.rowBlocks[i] = {wanted, memory + before * part.rowBytes,
                             held[from].size() * part.rowBytes};
    }
    return part;
}

void DeviceLanes::add(DeviceEngine& engine, const Batch& batch, Index slab,
                      const std::stop_token& stop) {
    const SlabPlan& plan = m_setup.slab(slab);
    if (batch.number == 0) engine.begin(slab, plan.slices, plan.counted, stop);
    if (!plan.rows.empty()) engine.add(rowsFor(batch, plan.rows), stop);
    if (batch.lastOfPass) engine.finish();
}

void DeviceLanes::take(std::size_t d, std::shared_ptr<const Batch> batch,
                       const std::stop_token& stop) {
    const Index slab = *slabOf(d, batch->pass);
    const IndexRange views = batch->views;
    const bool isLast = batch->lastOfPass;
    add(*m_devices[d]->engine, *batch, slab, stop);
    batch.reset();  // frees the slot, so that others may fill it while this thread waits
    m_progress.add(static_cast<double>(m_setup.updates(m_setup.slab(slab), views)), isLast);
    if (isLast) m_devices[d]->finished.push(slab, stop);
}

void DeviceLanes::addBatches(std::size_t d, const std::stop_token& stop) {
    Device& device = *m_devices[d];
    const DeviceJob job =
        deviceJobOf(m_setup.scan, m_setup.request, m_setup.plan, static_cast<Index>(d));
    if (job.maxSlices > 0)
        device.engine =
            m_backend.makeEngine(m_setup.plan.devices[d].device, job, m_sink, m_originNs);
    while (std::optional<std::shared_ptr<const Batch>> batch = device.batches.pop(stop))
        take(d, std::move(*batch), stop);
    device.finished.close();
}

void DeviceLanes::publish(std::size_t d, const std::stop_token& stop) {
    Device& device = *m_devices[d];
    while (const std::optional<Index> slab = device.finished.pop(stop)) {
        DeviceEngine& engine = *device.engine;
        m_chunks.publish(
            *slab, stop,
            [&](IndexRange slices, Span3<float> out) { engine.read(*slab, slices, out); },
            [&] {
                const InvalidPixels found = engine.release(*slab);
                const std::scoped_lock lock(m_mutex);
                m_invalid[m_setup.passOf(*slab)] += found;
            });
    }
    if (--m_publishing == 0) m_chunks.close();
}

void DeviceLanes::spawn(Runner& runner) {
    m_publishing = static_cast<int>(m_devices.size());
    for (std::size_t d = 0; d < m_devices.size(); ++d) {
        // These threads have no timeline lane: the engines name the lanes of what they do.
        runner.spawn("", [this, d](Lane& lane) { addBatches(d, lane.stop()); });
        runner.spawn("", [this, d](Lane& lane) { publish(d, lane.stop()); });
    }
}

InvalidPixels DeviceLanes::invalidIn(Index pass) const {
    const std::scoped_lock lock(m_mutex);
    return m_invalid[pass];
}

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
    parallelFor(m_setup.plan.threads, std::ssize(sum), kPieceVoxels,
                [&](Index begin, Index end, int) {
                    for (Index i = begin; i < end; ++i) {
                        float all = summands[0][i];
                        for (std::size_t rank = 1; rank < ranks; ++rank)
                            all += summands[rank][i];
                        sum[i] = all;
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
    m_slicesLeft[pass] -= slices;
    if (m_slicesLeft[pass] > 0) return;
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
