#include "core/scan/held_views.h"

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/scan/view_stages.h"

namespace gantry {

namespace {

// The pixels of a block's rows of one view, bytes.
Index blockBytes(const OpenScan& stored, IndexRange read) {
    return read.size() * stored.storedRowBytes();
}

}  // namespace

HeldViews::HeldViews(const OpenScan& scan, Index blockViews, int threads)
    : m_stored(*scan.uncorrected),
      m_corrections(scan.corrections),
      m_threads(threads),
      m_views(scan.stored.views),
      m_columns(scan.stored.columns),
      m_blockViews(blockViews) {
    for (int i = 0; i < threads; ++i)
        m_correctors.emplace_back(m_stored, m_corrections);
}

void HeldViews::begin(const IndexRanges& rows, IndexRange counted) {
    m_rows = rows;
    m_counted = counted;
    m_blocks.clear();
    if (m_corrections.hasPhase()) {
        m_blocks.push_back({rowsToCorrect(m_stored, m_corrections, rows.hull()), rows, 0});
    } else {
        for (std::size_t part = 0; part < rows.parts().size(); ++part) {
            const IndexRange held = rows.parts()[part];
            m_blocks.push_back(
                {rowsToCorrect(m_stored, m_corrections, held), held, rowsBefore(rows, part)});
        }
    }
    if (m_held.count() < held().count()) {
        m_held = {};
        m_held = HostBuffer<float>(held().count());
    }
    Index bytes = 0;
    for (const Block& block : m_blocks)
        bytes += m_blockViews * blockBytes(m_stored, block.read);
    if (m_loaded.count() < bytes) m_loaded = HostBuffer<std::byte>(bytes);
    m_invalid.assign(m_views, {});
}

Index HeldViews::bytesToLoad(IndexRange views) const {
    Index bytes = 0;
    for (const Block& block : m_blocks)
        bytes += views.size() * blockBytes(m_stored, block.read);
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
                const Index bytes = blockBytes(m_stored, block.read);
                const Index before =
                    i < views.size() ? 0
                                     : m_blockViews * blockBytes(m_stored, m_blocks.front().read);
                const std::span<std::byte> pixels = {
                    m_loaded.data() + before + i % views.size() * bytes,
                    static_cast<std::size_t>(bytes)};
                readStoredRows(m_stored, views.begin + i % views.size(), block.read, pixels);
            }
        },
        stop);
}

void HeldViews::correctView(const Block& block, Index s, std::span<const std::byte> stored,
                            ViewCorrector& corrector) {
    const Span3<const float> view =
        corrector.apply(s, stored, block.read, block.held, m_counted, m_invalid[s]);
    float* out = held().row(placeOf(s), block.firstHeld);
    for (const IndexRange& part : block.held.parts()) {
        std::copy_n(view.row(0, part.begin - block.read.begin), part.size() * m_columns, out);
        out += part.size() * m_columns;
    }
}

void HeldViews::correct(const std::stop_token& stop) {
    parallelFor(
        m_threads, m_loadedViews.size(), 1,
        [&](Index begin, Index end, int worker) {
            for (Index i = begin; i < end; ++i) {
                const std::byte* pixels = m_loaded.data();
                for (const Block& block : m_blocks) {
                    const Index bytes = blockBytes(m_stored, block.read);
                    correctView(block, m_loadedViews.begin + i,
                                {pixels + i * bytes, static_cast<std::size_t>(bytes)},
                                m_correctors[worker]);
                    pixels += m_blockViews * bytes;
                }
            }
        },
        stop);
}

void HeldViews::removeRings(const std::stop_token& stop) {
    gantry::removeRings(held(), m_corrections.rings, m_threads, stop);
}

void HeldViews::holdAll(const std::stop_token& stop) {
    for (Index first = 0; first < m_views; first += m_blockViews) {
        load({first, std::min(first + m_blockViews, m_views)}, stop);
        correct(stop);
    }
    removeRings(stop);
}

void HeldViews::fill(Batch& batch) const {
    if (batch.storedRows.empty()) return;
    require(batch.storedRows == m_rows, "a batch has other rows than those that are held");
    const Index rowBytes = m_columns * Index{sizeof(float)};
    parallelFor(m_threads, batch.views.size(), 1, [&](Index begin, Index end, int) {
        for (Index s = begin; s < end; ++s)
            for (std::size_t part = 0; part < m_rows.parts().size(); ++part) {
                const Span3<std::byte> block = batch.storedBlock(part, rowBytes);
                const float* from =
                    m_held.data() +
                    (placeOf(batch.views.begin + s) * m_rows.size() + rowsBefore(m_rows, part)) *
                        m_columns;
                std::memcpy(block.row(s, 0), from,
                            static_cast<std::size_t>(block.size(1) * rowBytes));
            }
    });
}

InvalidPixels HeldViews::invalidIn(IndexRange views) const {
    InvalidPixels all;
    for (Index s = views.begin; s < views.end; ++s)
        all += m_invalid[s];
    return all;
}

}  // namespace gantry
