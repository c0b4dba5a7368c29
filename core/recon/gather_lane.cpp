#include "core/recon/gather_lane.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/parallel.h"

namespace gantry {

GatherLane::GatherLane(const RunSetup& setup, GiveBack giveBack, PassGiven passGiven)
    : m_setup(setup),
      m_giveBack(std::move(giveBack)),
      m_passGiven(std::move(passGiven)),
      m_filtered(setup.plan.ringSlots),
      m_free(setup.plan.ringSlots) {}

void GatherLane::makeSlots(const Pin& pin) {
    const JobPlan& plan = m_setup.plan;
    Index rows = 0;
    for (const PassPlan& pass : plan.passes)
        rows = std::max(rows, pass.rows.size());
    parallelFor(plan.threads, plan.ringSlots, 1, [&](Index, Index, int) {
        Batch batch;
        batch.values = HostBuffer<float>(plan.batchViews * rows * m_setup.columns());
        if (pin) batch.pinned = pin(batch.values.data(), batch.values.sizeBytes());
        m_free.push(std::move(batch), {});
    });
}

BatchOutlet GatherLane::filtered() {
    return {[this](Batch batch, const std::stop_token& stop) {
                m_filtered.push(std::move(batch), stop);
            },
            [this] { m_filtered.close(); }};
}

void GatherLane::giveBackWhole(Batch batch) {
    m_free.push(std::move(batch), {});
}

Index GatherLane::givenFloats(const Batch& part) const {
    Index rows = 0;
    for (const ColumnShare& share : m_setup.pass(part.pass).column)
        rows += share.rows.size();
    return rows * part.views.size() * m_setup.columns();
}

// A batch of the same number, with all views and this rank's own rows.
Batch GatherLane::wholeOf(const Batch& part, Batch slot) const {
    slot.pass = part.pass;
    slot.number = part.number;
    slot.views = m_setup.plan.viewsOf(part.number);
    slot.rows = m_setup.pass(part.pass).rows;
    slot.lastOfPass = part.lastOfPass;
    return slot;
}

void GatherLane::exchange(const Batch& part, const std::shared_ptr<Held>& held,
                          const std::stop_token& stop) {
    const std::vector<ColumnShare>& column = m_setup.pass(part.pass).column;
    const auto own = static_cast<std::size_t>(m_setup.groups.column->rank());
    const Index columns = m_setup.columns();
    const IndexRange loaded = part.rows.hull();
    Batch& whole = held->whole;
    const Index ownRows = whole.rows.size();
    const auto count = static_cast<Index>(column.size());
    std::vector<std::span<const std::byte>> give(column.size());
    std::vector<std::span<std::byte>> take(column.size());
    float* next = held->given.data();
    for (std::size_t rank = 0; rank < column.size(); ++rank) {
        const IndexRange rows = column[rank].rows;
        const IndexRange theirs = partOfBatch(whole.views, count, static_cast<Index>(rank));
        float* const place =
            whole.values.data() + (theirs.begin - whole.views.begin) * ownRows * columns;
        // The views that this rank has filtered itself are written to their place directly.
        float* const out = rank == own ? place : next;
        const Index viewFloats = rows.size() * columns;
        parallelFor(m_setup.plan.threads, part.views.size(), 1, [&](Index begin, Index end, int) {
            for (Index s = begin; s < end; ++s)
                std::copy_n(
                    part.values.data() + (s * loaded.size() + rows.begin - loaded.begin) * columns,
                    viewFloats, out + s * viewFloats);
        });
        if (rank == own) continue;
        const Index given = part.views.size() * viewFloats;
        give[rank] = std::as_bytes(std::span(out, static_cast<std::size_t>(given)));
        next += given;
        take[rank] = std::as_writable_bytes(
            std::span(place, static_cast<std::size_t>(theirs.size() * ownRows * columns)));
    }
    m_setup.groups.column->exchange(give, take, held, stop);
}

void GatherLane::gather(Lane& lane, const BatchOutlet& out) {
    Index max = 0;
    HostBuffer<float> given;
    while (std::optional<Batch> part = m_filtered.pop(lane.stop())) {
        if (givenFloats(*part) > max) given = HostBuffer<float>(max = givenFloats(*part));
        // MPI may still write to this memory after an exchange is abandoned, so a shared pointer
        // keeps it.
        const auto held = std::make_shared<Held>(
            Held{wholeOf(*part, *m_free.pop(lane.stop())), std::move(given)});
        const Index bytes = held->whole.views.size() * held->whole.rows.size() * m_setup.columns() *
                            Index{sizeof(float)};
        lane.measure(Stage::gather, {m_setup.firstSlab(part->pass), part->number, bytes, 0},
                     [&] { exchange(*part, held, lane.stop()); });
        given = std::move(held->given);
        const bool isMade = !m_setup.pass(part->pass).assignments.empty();
        m_giveBack(std::move(*part));
        if (isMade) {
            out.push(std::move(held->whole), lane.stop());
            continue;
        }
        if (held->whole.lastOfPass) m_passGiven(held->whole.pass);
        m_free.push(std::move(held->whole), lane.stop());
    }
    out.close();
}

}  // namespace gantry
