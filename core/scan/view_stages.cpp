#include "core/scan/view_stages.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <span>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/io/series/series_parts.h"

namespace gantry {

namespace {

void readRows(const OpenScan& scan, Index view, IndexRange rows, std::span<std::byte> pixels) {
    try {
        scan.source->readRows(view, rows, pixels);
    } catch (const InputError&) {
        throw ViewError(scan.numberOf(view),
                        faultSentence(scan.source->viewName(view), std::current_exception()));
    }
}

}  // namespace

void loadViews(const OpenScan& scan, Batch& batch, int threads, const std::stop_token& stop) {
    const Index viewBytes = batch.storedRows.size() * scan.storedRowBytes();
    if (viewBytes == 0) return;
    parallelFor(
        threads, batch.views.size(), 1,
        [&](Index begin, Index end, int) {
            for (Index s = begin; s < end; ++s)
                readRows(scan, batch.views.begin + s, batch.storedRows,
                         batch.stored.span().subspan(static_cast<std::size_t>(s * viewBytes),
                                                     static_cast<std::size_t>(viewBytes)));
        },
        stop);
}

ViewPreparer::ViewPreparer(const Acquisition& acquisition, int threads)
    : m_acquisition(acquisition), m_threads(threads), m_scratch(static_cast<std::size_t>(threads)) {
    const SourceInfo& info = acquisition.stored;
    if (!acquisition.rectifier.isIdentity())
        for (HostBuffer<float>& scratch : m_scratch)
            scratch = HostBuffer<float>(info.rows * info.columns);
}

InvalidPixels ViewPreparer::toIntegrals(Index firstRow, Span3<float> view) const {
    if (view.size(1) <= 0) return {};
    return m_acquisition.kind == ProjectionKind::counts
               ? toLineIntegrals(*m_acquisition.calibration, firstRow, view)
               : cleanAttenuation(*m_acquisition.calibration, firstRow, view);
}

InvalidPixels ViewPreparer::prepare(Batch& batch, const std::stop_token& stop) {
    const SourceInfo& info = m_acquisition.stored;
    const Rectifier& rectifier = m_acquisition.rectifier;
    const Index columns = info.columns;
    const IndexRange rows = batch.storedRows;
    const Span3<float> values = batch.valueSpan(m_acquisition.geometry.detector.columns);
    InvalidPixels all;
    if (rows.empty()) {
        std::fill_n(values.data(), values.count(), 0.0F);
        return all;
    }
    const Index pixels = rows.size() * columns;
    const Index viewBytes = pixels * sizeBytes(info.pixelType);
    const Index oldRows = std::clamp<Index>(batch.countFrom - rows.begin, 0, rows.size());
    std::mutex mutex;
    parallelFor(
        m_threads, batch.views.size(), 1,
        [&](Index begin, Index end, int worker) {
            for (Index s = begin; s < end; ++s) {
                const Span3<float> out = values.slices({s, s + 1});
                float* counts = rectifier.isIdentity()
                                    ? out.data()
                                    : m_scratch[static_cast<std::size_t>(worker)].data();
                toFloat(info.pixelType,
                        batch.stored.span().subspan(static_cast<std::size_t>(s * viewBytes),
                                                    static_cast<std::size_t>(viewBytes)),
                        {counts, static_cast<std::size_t>(pixels)});
                (void)toIntegrals(rows.begin, {counts, 1, oldRows, columns});
                const InvalidPixels found =
                    toIntegrals(rows.begin + oldRows,
                                {counts + oldRows * columns, 1, rows.size() - oldRows, columns});
                if (!rectifier.isIdentity())
                    rectifier.apply({counts, 1, rows.size(), columns}, rows.begin,
                                    {out.data(), 1, batch.rows.size(), columns}, batch.rows.begin);
                padRowsInPlace(m_acquisition.redundancy, out);
                const std::scoped_lock lock(mutex);
                all += found;
            }
        },
        stop);
    return all;
}

}  // namespace gantry
