#include "core/recon/cpu_lane.h"

#include <span>
#include <utility>

namespace gantry {

CpuLane::CpuLane(const RunSetup& setup, std::unique_ptr<BackProjector> backProjector,
                 ViewLanes& views, ChunkLane& chunks, RunProgress& progress)
    : m_setup(setup),
      m_backProjector(std::move(backProjector)),
      m_views(views),
      m_chunks(chunks),
      m_progress(progress),
      m_matrices(setup.scan.geometry.matrices),
      m_filtered(setup.plan.ringSlots) {}

BatchOutlet CpuLane::filtered() {
    return {[this](Batch batch, const std::stop_token& stop) {
                m_filtered.push(std::move(batch), stop);
            },
            [this] { m_filtered.close(); }};
}

void CpuLane::add(Lane& lane, const Batch& batch, Index slab) {
    const IndexRange slices = m_setup.slab(slab).slices;
    const Span3<const float> views = {batch.values.data(), batch.views.size(), batch.rows.size(),
                                      m_setup.columns()};
    const auto matrices = std::span<const ProjectionMatrix>(m_matrices)
                              .subspan(static_cast<std::size_t>(batch.views.begin),
                                       static_cast<std::size_t>(batch.views.size()));
    lane.measure(Stage::backproject,
                 {slab, batch.number, views.count() * Index{sizeof(float)},
                  m_setup.updates(m_setup.slab(slab), batch.views)},
                 [&] {
                     if (batch.number == 0) m_backProjector->begin(m_setup.request.volume, slices);
                     if (!batch.rows.empty())
                         m_backProjector->add({views, batch.rows.begin, matrices}, lane.stop());
                 });
}

void CpuLane::readSlab(Lane& lane, Index slab) {
    m_chunks.publish(slab, lane.stop(), [&](IndexRange slices, Span3<float> out) {
        lane.measure(
            Stage::download,
            {slab, slices.begin / m_setup.plan.chunkSlices, out.count() * Index{sizeof(float)}, 0},
            [&] { m_backProjector->read(slices, out); });
    });
}

void CpuLane::backproject(Lane& lane) {
    while (std::optional<Batch> batch = m_filtered.pop(lane.stop())) {
        const Index slab = m_setup.pass(batch->pass).slabs.begin;
        add(lane, *batch, slab);
        m_progress.add(static_cast<double>(m_setup.updates(m_setup.slab(slab), batch->views)));
        const bool isLast = batch->lastOfPass;
        m_views.giveBack(std::move(*batch));
        if (isLast) readSlab(lane, slab);
    }
    m_chunks.close();
}

}  // namespace gantry
