#include "core/recon/device_lanes.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/error.h"

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
                m_invalid[static_cast<std::size_t>(m_setup.passOf(*slab))] += found;
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
    return m_invalid[static_cast<std::size_t>(pass)];
}

}  // namespace gantry
