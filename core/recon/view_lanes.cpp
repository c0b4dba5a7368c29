#include "core/recon/view_lanes.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/engine/shared_view_steps.h"
#include "core/plan/step_devices.h"

namespace gantry {

ViewLanes::ViewLanes(const RunSetup& setup, const EngineBackend& backend, SpanSink sink,
                     std::int64_t originNs)
    : m_setup(setup),
      m_backend(backend),
      m_sink(std::move(sink)),
      m_originNs(originNs),
      m_preparer(setup.scan, setup.plan.threads),
      m_invalid(static_cast<std::size_t>(setup.passCount())),
      m_free(setup.plan.ringSlots),
      m_loaded(setup.plan.ringSlots) {
    if (setup.scan.corrections.changesPixels())
        m_held.emplace(setup.scan, setup.plan.batchViews, setup.plan.threads);
    if (setup.plan.hostTakes() == ViewState::filtered)
        m_filter.emplace(setup.scan.geometry, setup.request.filter, setup.scan.redundancy,
                         setup.plan.threads);
}

void ViewLanes::makeSlots(const Pin& pin) {
    Index rows = 0;
    Index storedRows = 0;
    for (Index pass = 0; pass < m_setup.passCount(); ++pass) {
        const IndexRanges loaded = m_setup.pass(pass).loadedRows();
        rows = std::max(rows, loaded.size());
        storedRows = std::max(storedRows, m_setup.scan.storedRows(loaded).size());
    }
    const JobPlan& plan = m_setup.plan;
    Index views = 0;
    for (Index batch = 0; batch < plan.batchesPerPass; ++batch)
        views = std::max(views, plan.loadedViews(batch).size());
    const bool hasValues = plan.handedOver != ViewState::stored;
    const bool isStoredCopied = plan.hostTakes() == ViewState::stored || plan.areRowsResampledThere;
    parallelFor(plan.threads, plan.ringSlots, 1, [&](Index, Index, int) {
        Batch batch;
        batch.stored = HostBuffer<std::byte>(views * storedRows * m_setup.scan.storedRowBytes());
        if (hasValues) batch.values = HostBuffer<float>(views * rows * m_setup.columns());
        if (pin && hasValues) batch.pinned = pin(batch.values.data(), batch.values.sizeBytes());
        if (pin && isStoredCopied)
            batch.storedPinned = pin(batch.stored.data(), batch.stored.sizeBytes());
        m_free.push(std::move(batch), {});
    });
}

// The first devices of the plan, as many as that, share the work.
std::unique_ptr<ViewSteps> ViewLanes::makeSteps(Index devices, const ViewStepsJob& job) const {
    std::vector<std::unique_ptr<ViewSteps>> all;
    for (Index d = 0; d < devices; ++d)
        all.push_back(m_backend.makeViewSteps(m_setup.plan.devices[d].device, job));
    return sharedViewSteps(std::move(all), m_setup.scan.stored.views);
}

void ViewLanes::load(Lane& lane, const BatchOutlet& out) {
    try {
        loadAll(lane, out);
    } catch (const ViewError& error) {
        throw InputError(error.withRemedy());
    }
}

void ViewLanes::loadAll(Lane& lane, const BatchOutlet& out) {
    const JobPlan& plan = m_setup.plan;
    if (plan.areStepsOnDevice)
        m_held->useDevice(makeSteps(correctingDevices(plan), viewStepsJobOf(m_setup.scan, plan)),
                          plan.areViewsHeldThere, m_backend.pin);
    if (plan.areViewsHeldThere) holdAll(lane);
    for (Index made = 0; const auto next = m_setup.passAfter(made, lane.stop()); ++made) {
        const Index pass = *next;
        if (m_held && !plan.areViewsHeldThere) beginHolding(lane, pass);
        for (Index number = 0; number < plan.batchesPerPass; ++number) {
            Batch batch = *m_free.pop(lane.stop());
            batch.pass = pass;
            batch.number = number;
            batch.views = plan.loadedViews(number);
            batch.rows = m_setup.pass(pass).loadedRows();
            batch.storedRows = m_setup.scan.storedRows(batch.rows);
            batch.counted = m_setup.countedIn(pass);
            batch.lastOfPass = number + 1 == plan.batchesPerPass;
            loadBatch(lane, batch);
            out.push(std::move(batch), lane.stop());
        }
    }
    out.close();
}

void ViewLanes::loadBatch(Lane& lane, Batch& batch) {
    if (m_held) {
        if (m_held->isByBlock()) hold(lane, batch.pass, batch.views, batch.number);
        const Index bytes = m_held->bytesOf(batch.views.size());
        lane.measure(Stage::correct, {m_setup.firstSlab(batch.pass), batch.number, bytes, 0},
                     [&] { m_held->fill(batch); });
        m_invalid[batch.pass] +=
            m_held->invalidIn(batch.views, m_setup.plan.areViewsHeldThere ? batch.pass : 0);
        return;
    }
    const Index bytes =
        batch.views.size() * batch.storedRows.size() * m_setup.scan.storedRowBytes();
    lane.measure(Stage::load, {m_setup.firstSlab(batch.pass), batch.number, bytes, 0},
                 [&] { loadViews(m_setup.scan, batch, m_setup.plan.threads, lane.stop()); });
}

// Where views are corrected independently only the current batch is held; otherwise all views are,
// also those that other ranks add, because a step needs a row in all of them.
void ViewLanes::beginHolding(Lane& lane, Index pass) {
    m_held->begin(m_setup.scan.storedRows(m_setup.pass(pass).loadedRows()),
                  m_setup.countedIn(pass));
    if (!m_held->isByBlock()) holdViews(lane, pass);
}

// Holds the rows of all passes on the device.
void ViewLanes::holdAll(Lane& lane) {
    RowCounts counts(static_cast<std::size_t>(m_setup.scan.stored.rows), kNotCounted);
    for (Index pass = m_setup.passCount(); pass-- > 0;) {
        const IndexRange counted = m_setup.countedIn(pass);
        for (const IndexRange& part :
             m_setup.scan.storedRows(m_setup.pass(pass).loadedRows()).parts())
            for (Index row = std::max(part.begin, counted.begin);
                 row < std::min(part.end, counted.end); ++row)
                counts[static_cast<std::size_t>(row)] = static_cast<std::int16_t>(pass);
    }
    m_held->beginAll(heldRows(m_setup.scan, m_setup.plan), counts);
    holdViews(lane, 0);
}

void ViewLanes::holdViews(Lane& lane, Index pass) {
    const Index views = m_setup.scan.stored.views;
    const Index blockViews = m_setup.plan.batchViews;
    for (Index first = 0, number = 0; first < views; first += blockViews, ++number)
        hold(lane, pass, {first, std::min(first + blockViews, views)}, number);
    if (m_setup.scan.corrections.needsAllViews())
        lane.measure(Stage::correct, {m_setup.firstSlab(pass), 0, m_held->bytesOf(views), 0},
                     [&] { m_held->correctAllViews(lane.stop()); });
}

void ViewLanes::hold(Lane& lane, Index pass, IndexRange views, Index number) {
    const Index slab = m_setup.firstSlab(pass);
    lane.measure(Stage::load, {slab, number, m_held->bytesToLoad(views), 0},
                 [&] { m_held->load(views, lane.stop()); });
    lane.measure(Stage::correct, {slab, number, m_held->bytesOf(views.size()), 0},
                 [&] { m_held->correct(lane.stop()); });
}

BatchOutlet ViewLanes::loaded() {
    return {
        [this](Batch batch, const std::stop_token& stop) { m_loaded.push(std::move(batch), stop); },
        [this] { m_loaded.close(); }};
}

std::unique_ptr<ViewFilter> ViewLanes::makeDeviceFilter() const {
    if (!m_setup.plan.filteredFrom) return nullptr;
    return m_backend.makeViewFilter(m_setup.plan.devices.front().device,
                                    viewFilterJobOf(m_setup.scan, m_setup.request, m_setup.plan),
                                    m_sink, m_originNs);
}

InvalidPixels ViewLanes::filterOnDevice(ViewFilter& device, Batch& batch,
                                        const std::stop_token& stop) const {
    if (batch.views.empty() || batch.rows.empty()) return {};
    const bool isStored = m_setup.plan.hostTakes() == ViewState::stored;
    DeviceBatch part;
    part.number = batch.number;
    part.views = batch.views;
    part.rowBytes =
        isStored ? m_setup.scan.storedRowBytes() : m_setup.columns() * Index{sizeof(float)};
    part.rowBlocks[0] = {
        batch.rows.hull(),
        isStored ? batch.stored.data() : reinterpret_cast<const std::byte*>(batch.values.data()),
        batch.rows.size() * part.rowBytes};
    return device.apply(part, batch.counted, batch.valueBlock(0, m_setup.columns()), stop);
}

void ViewLanes::prepare(Lane& lane, const BatchOutlet& out) {
    const std::unique_ptr<ViewFilter> device = makeDeviceFilter();
    if (m_setup.plan.areRowsResampledThere)
        m_preparer.useDevice(
            makeSteps(std::ssize(m_setup.plan.devices), resampleJobOf(m_setup.scan, m_setup.plan)));
    while (std::optional<Batch> batch = m_loaded.pop(lane.stop())) {
        const Index pixels = batch->views.size() * batch->rows.size() * m_setup.columns();
        const StageWork work = {m_setup.firstSlab(batch->pass), batch->number,
                                pixels * Index{sizeof(float)}, 0};
        InvalidPixels found;
        if (m_setup.plan.hostTakes() != ViewState::stored)
            lane.measure(Stage::prepare, work,
                         [&] { found += m_preparer.prepare(*batch, lane.stop()); });
        if (m_filter)
            lane.measure(Stage::filter, work,
                         [&] { filterViews(*m_filter, *batch, m_setup.columns(), lane.stop()); });
        if (device) found += filterOnDevice(*device, *batch, lane.stop());
        if (!m_held) m_invalid[batch->pass] += found;
        out.push(std::move(*batch), lane.stop());
    }
    out.close();
}

void ViewLanes::giveBack(Batch batch) {
    m_free.push(std::move(batch), {});
}

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
    const auto count = std::ssize(column);
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
