#include "core/scan/held_views.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/scan/view_stages.h"

namespace gantry {

HeldViews::HeldViews(const OpenScan& scan, Index blockViews, int threads)
    : m_scan(scan),
      m_stored(*scan.uncorrected),
      m_corrections(scan.corrections),
      m_needsIntegrals(needsHostIntegrals(m_stored)),
      m_threads(threads),
      m_views(scan.stored.views),
      m_columns(scan.stored.columns),
      m_blockViews(blockViews) {
    for (int i = 0; i < threads; ++i)
        m_correctors.emplace_back(scan);
}

void HeldViews::useDevice(std::unique_ptr<ViewSteps> steps, bool isHeld, Pin pin) {
    m_steps = std::move(steps);
    m_isHeldThere = isHeld;
    m_pin = std::move(pin);
}

template <class T>
void HeldViews::makeRoom(HostBuffer<T>& buffer, std::shared_ptr<void>& pinned, Index count) {
    if (buffer.count() >= count) return;
    pinned = nullptr;
    buffer = {};
    buffer = HostBuffer<T>(count);
    if (m_steps && m_pin) pinned = m_pin(buffer.data(), buffer.sizeBytes());
}

void HeldViews::begin(const IndexRanges& rows, IndexRange counted) {
    m_counted = counted;
    makeBlocks(rows);
    if (m_steps) m_steps->begin(stepRows(m_scan, rows), countedOnce(m_stored.stored.rows, counted));
}

void HeldViews::beginAll(const IndexRanges& rows, const RowCounts& counts) {
    require(m_steps != nullptr && !m_needsIntegrals, "the CPU counts the rows of one pass only");
    makeBlocks(rows);
    m_steps->begin(stepRows(m_scan, rows), counts);
}

void HeldViews::makeBlocks(const IndexRanges& rows) {
    m_rows = rows;
    m_blocks.clear();
    m_invalid.assign(m_views, {});
    const std::vector<StepRows> blocks = stepRows(m_scan, rows);
    if (isOnHost()) makeRoom(m_held, m_heldPinned, held().count());
    Index bytes = 0;
    Index pixels = 0;
    for (const StepRows& block : blocks) {
        bytes += m_blockViews * block.read.size() * m_stored.storedRowBytes();
        pixels += m_blockViews * block.read.size() * m_columns;
    }
    makeRoom(m_loaded, m_loadedPinned, bytes);
    if (m_steps && m_needsIntegrals) makeRoom(m_integrals, m_integralsPinned, pixels);
    std::byte* stored = m_loaded.data();
    float* integrals = m_integrals.data();
    Index firstHeld = 0;
    for (const StepRows& block : blocks) {
        const Index viewBytes = block.read.size() * m_stored.storedRowBytes();
        m_blocks.push_back({block, firstHeld, viewBytes, stored, integrals});
        firstHeld += block.wanted.size();
        stored += m_blockViews * viewBytes;
        if (integrals) integrals += m_blockViews * block.read.size() * m_columns;
    }
}

Index HeldViews::bytesToLoad(IndexRange views) const {
    Index bytes = 0;
    for (const Block& block : m_blocks)
        bytes += views.size() * block.viewBytes;
    return bytes;
}

void HeldViews::load(IndexRange views, const std::stop_token& stop) {
    m_loadedViews = views;
    const auto blocks = std::ssize(m_blocks);
    parallelFor(
        m_threads, views.size() * blocks, 1,
        [&](Index begin, Index end, int) {
            for (Index i = begin; i < end; ++i) {
                // First come the views of the first block, then those of the second.
                const Block& block = m_blocks[i / views.size()];
                const Index s = i % views.size();
                readStoredRows(m_stored, views.begin + s, block.rows.read,
                               {block.pixels + s * block.viewBytes,
                                static_cast<std::size_t>(block.viewBytes)});
            }
        },
        stop);
}

// place: among the views loaded last
StoredRows HeldViews::rowsOf(const Block& block, Index place) const {
    return {m_loadedViews.begin + place,
            block.rows.read,
            {block.pixels + place * block.viewBytes, static_cast<std::size_t>(block.viewBytes)},
            block.rows.wanted,
            m_counted};
}

void HeldViews::correctView(const Block& block, const StoredRows& stored,
                            ViewCorrector& corrector) {
    const IndexRange read = block.rows.read;
    const Span3<const float> view = corrector.apply(stored, m_invalid[stored.view]);
    float* out = held().row(placeOf(stored.view), block.firstHeld);
    for (const IndexRange& part : block.rows.wanted.parts()) {
        std::copy_n(view.row(0, part.begin - read.begin), part.size() * m_columns, out);
        out += part.size() * m_columns;
    }
}

void HeldViews::correct(const std::stop_token& stop) {
    if (m_steps) return correctOnDevice(stop);
    parallelFor(
        m_threads, m_loadedViews.size(), 1,
        [&](Index begin, Index end, int worker) {
            for (Index i = begin; i < end; ++i)
                for (const Block& block : m_blocks)
                    correctView(block, rowsOf(block, i), m_correctors[worker]);
        },
        stop);
}

void HeldViews::makeIntegrals(const std::stop_token& stop) {
    parallelFor(
        m_threads, m_loadedViews.size(), 1,
        [&](Index begin, Index end, int worker) {
            for (Index i = begin; i < end; ++i)
                for (const Block& block : m_blocks) {
                    const Index rows = block.rows.read.size();
                    m_correctors[worker].integrals(
                        rowsOf(block, i),
                        {block.integrals + i * rows * m_columns, 1, rows, m_columns},
                        m_invalid[m_loadedViews.begin + i]);
                }
        },
        stop);
}

void HeldViews::correctOnDevice(const std::stop_token& stop) {
    if (m_loadedViews.empty()) return;  // a rank may have none of a batch
    if (m_needsIntegrals) makeIntegrals(stop);
    std::vector<std::span<const std::byte>> pixels;
    for (const Block& block : m_blocks) {
        const Index views = m_loadedViews.size();
        if (m_needsIntegrals)
            pixels.push_back(std::as_bytes(
                std::span(block.integrals,
                          static_cast<std::size_t>(views * block.rows.read.size() * m_columns))));
        else
            pixels.emplace_back(block.pixels, static_cast<std::size_t>(views * block.viewBytes));
    }
    m_steps->correct(m_loadedViews, pixels, stop);
    if (!isOnHost()) return;
    const Span3<float> out = {held().row(placeOf(m_loadedViews.begin), 0), m_loadedViews.size(),
                              m_rows.size(), m_columns};
    m_steps->read(m_loadedViews, {0, m_rows.size()}, out);
}

void HeldViews::correctAllViews(const std::stop_token& stop) {
    if (!m_corrections.needsAllViews()) return;
    if (!m_steps)
        gantry::correctAllViews(m_corrections, held(), m_threads, stop);
    else if (m_isHeldThere)
        m_steps->correctAllViews(stop);
    else
        m_steps->correctAllViews(held(), {0, m_rows.size()}, stop);
}

void HeldViews::holdAll(const std::stop_token& stop) {
    for (Index first = 0; first < m_views; first += m_blockViews) {
        load({first, std::min(first + m_blockViews, m_views)}, stop);
        correct(stop);
    }
    correctAllViews(stop);
}

void HeldViews::fill(Batch& batch) {
    if (batch.storedRows.empty() || batch.views.empty()) return;
    const Index rowBytes = m_columns * Index{sizeof(float)};
    for (std::size_t part = 0; part < batch.storedRows.parts().size(); ++part) {
        const Span3<std::byte> block = batch.storedBlock(part, rowBytes);
        const Index first = placeOf(batch.storedRows.parts()[part]);
        if (!isOnHost()) {
            m_steps->read(
                batch.views, {first, first + block.size(1)},
                {reinterpret_cast<float*>(block.data()), block.size(0), block.size(1), m_columns});
            continue;
        }
        parallelFor(m_threads, batch.views.size(), 1, [&](Index begin, Index end, int) {
            for (Index s = begin; s < end; ++s)
                std::memcpy(block.row(s, 0), held().row(placeOf(batch.views.begin + s), first),
                            static_cast<std::size_t>(block.size(1) * rowBytes));
        });
    }
}

// The place of these rows among all that are held.
Index HeldViews::placeOf(IndexRange rows) const {
    for (std::size_t part = 0; part < m_rows.parts().size(); ++part) {
        const IndexRange held = m_rows.parts()[part];
        if (held.begin <= rows.begin && rows.end <= held.end)
            return rowsBefore(m_rows, part) + rows.begin - held.begin;
    }
    throw InternalError("a batch has other rows than those that are held");
}

InvalidPixels HeldViews::invalidIn(IndexRange views, Index count) const {
    InvalidPixels all;
    for (Index s = views.begin; s < views.end; ++s)
        all += m_invalid[s];
    if (m_steps) all += m_steps->invalidIn(views, count);
    return all;
}

}  // namespace gantry
