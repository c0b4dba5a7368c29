#include "core/scan/held_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/scan/view_stages.h"

namespace gantry {

namespace {

// How much larger the object is on the detector than it is, on the axis.
double magnificationOf(const ScanGeometry& geometry) {
    if (geometry.isParallel()) return 1;
    if (!geometry.isCone())
        throw InputError(
            "Phase retrieval needs a parallel beam or a circular cone beam; the scan has "
            "calibrated "
            "poses.",
            {.field = "prep.phaseEnergyKeV"});
    return geometry.cone().sourceToDetectorMm / geometry.cone().sourceToIsocenterMm;
}

PhaseRetriever phaseRetriever(const OpenScan& scan) {
    const ScanGeometry& geometry = scan.description.geometry;
    const double magnification = magnificationOf(geometry);
    PhaseSpec spec = scan.corrections.phase;
    spec.distanceMm /= magnification;
    const std::array<double, 2>& pitch = geometry.detector.pitchMm;
    return {spec,
            {pitch[0] / magnification, pitch[1] / magnification},
            geometry.detector.rows,
            geometry.detector.columns};
}

// What another source's views are as line integrals, uncorrected.
class IntegralViews : public ProjectionSource {
  public:
    explicit IntegralViews(std::shared_ptr<const OpenScan> scan)
        : m_scan(std::move(scan)), m_info(m_scan->source->info()) {
        m_info.pixelType = PixelType::float32;
    }

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    [[nodiscard]] std::string viewName(Index view) const override {
        return m_scan->source->viewName(view);
    }
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override {
        HostBuffer<std::byte> stored(rows.size() * m_scan->storedRowBytes());
        m_scan->source->readRows(view, rows, stored.span());
        const Span3<float> values = {reinterpret_cast<float*>(pixels.data()), 1, rows.size(),
                                     m_info.columns};
        toFloat(m_scan->stored.pixelType, stored.span(),
                {values.data(), static_cast<std::size_t>(values.count())});
        (void)toIntegrals(*m_scan, rows.begin, values, {});
    }

  private:
    std::shared_ptr<const OpenScan> m_scan;
    SourceInfo m_info;
};

// The pixels of a block's rows of one view, bytes.
Index blockBytes(const OpenScan& stored, IndexRange read) {
    return read.size() * stored.storedRowBytes();
}

}  // namespace

OpenScan corrected(OpenScan scan, const Corrections& corrections) {
    if (!corrections.any()) return scan;
    if (corrections.hasPhase()) (void)magnificationOf(scan.description.geometry);
    auto stored = std::make_shared<const OpenScan>(std::move(scan));
    OpenScan result = *stored;
    DetectorCalibration plain;
    plain.rows = stored->stored.rows;
    plain.columns = stored->stored.columns;
    result.calibration = std::make_shared<const DetectorCalibration>(std::move(plain));
    result.kind = ProjectionKind::attenuation;
    result.stored.pixelType = PixelType::float32;
    result.corrections = corrections;
    result.source = std::make_shared<const IntegralViews>(stored);
    result.uncorrected = std::move(stored);
    return result;
}

HeldViews::HeldViews(const OpenScan& scan, Index blockViews, int threads)
    : m_scan(scan),
      m_stored(*scan.uncorrected),
      m_corrections(scan.corrections),
      m_threads(threads),
      m_views(scan.stored.views),
      m_columns(scan.stored.columns),
      m_blockViews(blockViews),
      m_workers(static_cast<std::size_t>(threads)) {}

void HeldViews::begin(const IndexRanges& rows, IndexRange counted) {
    const Index all = m_stored.stored.rows;
    const Index margin = m_corrections.hasZingers() ? m_corrections.zingers.widthPx / 2 : 0;
    m_rows = rows;
    m_counted = counted;
    m_blocks.clear();
    if (m_corrections.hasPhase()) {
        m_blocks.push_back({{0, all}, rows, 0});
    } else {
        for (std::size_t part = 0; part < rows.parts().size(); ++part) {
            const IndexRange held = rows.parts()[part];
            const IndexRange read = {std::max<Index>(0, held.begin - margin),
                                     std::min(all, held.end + margin)};
            m_blocks.push_back({read, held, rowsBefore(rows, part)});
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
    m_invalid.assign(static_cast<std::size_t>(m_views), {});
}

Index HeldViews::bytesToLoad(IndexRange views) const {
    Index bytes = 0;
    for (const Block& block : m_blocks)
        bytes += views.size() * blockBytes(m_stored, block.read);
    return bytes;
}

void HeldViews::load(IndexRange views, const std::stop_token& stop) {
    m_loadedViews = views;
    const auto blocks = static_cast<Index>(m_blocks.size());
    parallelFor(
        m_threads, views.size() * blocks, 1,
        [&](Index begin, Index end, int) {
            for (Index i = begin; i < end; ++i) {
                // The views of the first block, then those of the second.
                const Block& block = m_blocks[static_cast<std::size_t>(i / views.size())];
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
                            Worker& worker) {
    const Index pixels = block.read.size() * m_columns;
    if (worker.view.count() < pixels) worker.view = HostBuffer<float>(pixels);
    const Span3<float> view = {worker.view.data(), 1, block.read.size(), m_columns};
    toFloat(m_stored.stored.pixelType, stored, {view.data(), static_cast<std::size_t>(pixels)});
    InvalidPixels& invalid = m_invalid[static_cast<std::size_t>(s)];
    // Rows beside those that are held are counted with their own pass.
    Index from = block.read.begin;
    const auto convertTo = [&](Index to, IndexRange counted) {
        if (to > from)
            invalid += toIntegrals(m_stored, from,
                                   {view.row(0, from - block.read.begin), 1, to - from, m_columns},
                                   counted);
        from = std::max(from, to);
    };
    for (const IndexRange& part : block.held.parts()) {
        convertTo(part.begin, {});
        convertTo(part.end, m_counted);
    }
    convertTo(block.read.end, {});
    if (m_corrections.hasZingers()) {
        if (worker.zingers.empty()) worker.zingers.emplace_back(m_corrections.zingers, m_columns);
        (void)worker.zingers.front().apply(view);
    }
    if (m_corrections.hasPhase()) {
        if (worker.phase.empty()) worker.phase.push_back(phaseRetriever(m_scan));
        worker.phase.front().apply(view);
    }
    float* out = held().row(s, block.firstHeld);
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
                                m_workers[static_cast<std::size_t>(worker)]);
                    pixels += m_blockViews * bytes;
                }
            }
        },
        stop);
}

void HeldViews::removeRings(const std::stop_token& stop) {
    if (!m_corrections.hasRings() || m_rows.empty()) return;
    std::vector<std::unique_ptr<RingRemover>> removers(static_cast<std::size_t>(m_threads));
    parallelFor(
        m_threads, m_rows.size(), 1,
        [&](Index begin, Index end, int worker) {
            auto& remover = removers[static_cast<std::size_t>(worker)];
            if (!remover)
                remover = std::make_unique<RingRemover>(m_corrections.rings, m_views, m_columns);
            for (Index row = begin; row < end; ++row)
                remover->apply(held(), row);
        },
        stop);
}

void HeldViews::fill(Batch& batch) const {
    if (batch.storedRows.empty()) return;
    require(batch.storedRows == m_rows, "a batch has other rows than those that are held");
    const Index rowBytes = m_columns * Index{sizeof(float)};
    parallelFor(m_threads, batch.views.size(), 1, [&](Index begin, Index end, int) {
        for (Index s = begin; s < end; ++s)
            for (std::size_t part = 0; part < m_rows.parts().size(); ++part) {
                const Span3<std::byte> block = batch.storedBlock(part, rowBytes);
                const float* from = m_held.data() + ((batch.views.begin + s) * m_rows.size() +
                                                     rowsBefore(m_rows, part)) *
                                                        m_columns;
                std::memcpy(block.row(s, 0), from,
                            static_cast<std::size_t>(block.size(1) * rowBytes));
            }
    });
}

InvalidPixels HeldViews::invalidIn(IndexRange views) const {
    InvalidPixels all;
    for (Index s = views.begin; s < views.end; ++s)
        all += m_invalid[static_cast<std::size_t>(s)];
    return all;
}

Index HeldViews::heldBytes() const {
    return m_views * m_rows.size() * m_columns * Index{sizeof(float)};
}

}  // namespace gantry
