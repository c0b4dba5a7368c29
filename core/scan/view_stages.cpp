#include "core/scan/view_stages.h"

#include <algorithm>
#include <exception>
#include <mutex>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/filter/cpu_filter.h"
#include "core/io/series/series_parts.h"
#include "core/scan/judged_views.h"

namespace gantry {

void readStoredRows(const OpenScan& scan, Index view, IndexRange rows,
                    std::span<std::byte> pixels) {
    try {
        scan.source->readRows(view, rows, pixels);
        judgeView(scan, view, rows, pixels);
        if (scan.missing) scan.missing->fill(scan, view, rows, pixels);
    } catch (const ViewError&) {
        throw;
    } catch (const InputError&) {
        throw ViewError(scan.numberOf(view),
                        faultSentence(scan.source->viewName(view), std::current_exception()));
    }
}

void loadViews(const OpenScan& scan, Batch& batch, int threads, const std::stop_token& stop) {
    if (batch.storedRows.empty()) return;
    const std::span<const IndexRange> parts = batch.storedRows.parts();
    const Index views = batch.views.size();
    parallelFor(
        threads, std::ssize(parts) * views, 1,
        [&](Index begin, Index end, int) {
            for (Index i = begin; i < end; ++i) {
                const auto part = static_cast<std::size_t>(i / views);
                const Index s = i % views;
                const Span3<std::byte> pixels =
                    batch.storedBlock(part, scan.storedRowBytes()).slices({s, s + 1});
                readStoredRows(scan, batch.views.begin + s, parts[part],
                               {pixels.data(), static_cast<std::size_t>(pixels.count())});
            }
        },
        stop);
}

ViewPreparer::ViewPreparer(const Acquisition& acquisition, int threads)
    : m_acquisition(acquisition),
      m_corrector(acquisition, {}),
      m_threads(threads),
      m_scratch(static_cast<std::size_t>(threads)) {
    const SourceInfo& info = acquisition.stored;
    if (!acquisition.areRowsAlone())
        for (HostBuffer<float>& scratch : m_scratch)
            scratch = HostBuffer<float>(info.rows * info.columns);
}

InvalidPixels ViewPreparer::prepare(Batch& batch, const std::stop_token& stop) {
    if (m_steps) return prepareOnDevice(batch, stop);
    InvalidPixels all;
    for (std::size_t part = 0; part < batch.rows.parts().size(); ++part)
        all += prepareBlock(batch, part, stop);
    return all;
}

InvalidPixels ViewPreparer::prepareOnDevice(Batch& batch, const std::stop_token& stop) {
    if (batch.views.empty() || batch.rows.empty()) return {};  // a rank may have none of a batch
    const Index columns = m_acquisition.geometry.detector.columns;
    std::vector<StepRows> blocks;
    std::vector<std::span<const std::byte>> pixels;
    for (std::size_t part = 0; part < batch.storedRows.parts().size(); ++part) {
        const IndexRange rows = batch.storedRows.parts()[part];
        const Span3<std::byte> stored = batch.storedBlock(part, m_acquisition.storedRowBytes());
        blocks.push_back({rows, rows});
        pixels.emplace_back(stored.data(), static_cast<std::size_t>(stored.count()));
    }
    m_steps->begin(blocks, countedOnce(m_acquisition.stored.rows, batch.counted));
    m_steps->correct(batch.views, pixels, stop);
    for (std::size_t part = 0; part < batch.rows.parts().size(); ++part) {
        const Span3<float> out = batch.valueBlock(part, columns);
        if (blocks[part].read.empty()) {
            std::fill_n(out.data(), out.count(), 0.0F);
            continue;
        }
        m_steps->resample(batch.views, part, batch.rows.parts()[part], out.data(),
                          out.size(1) * columns);
        parallelFor(
            m_threads, batch.views.size(), 1,
            [&](Index begin, Index end, int) {
                for (Index s = begin; s < end; ++s)
                    padRowsInPlace(m_acquisition.redundancy, out.slices({s, s + 1}));
            },
            stop);
    }
    return m_steps->invalidIn(batch.views, 0);
}

InvalidPixels ViewPreparer::prepareBlock(Batch& batch, std::size_t part,
                                         const std::stop_token& stop) {
    const Index columns = m_acquisition.stored.columns;
    const IndexRange outRows = batch.rows.parts()[part];
    const IndexRange rows = batch.storedRows.parts()[part];
    const Span3<std::byte> stored = batch.storedBlock(part, m_acquisition.storedRowBytes());
    const Span3<float> values = batch.valueBlock(part, m_acquisition.geometry.detector.columns);
    InvalidPixels all;
    if (rows.empty()) {
        std::fill_n(values.data(), values.count(), 0.0F);
        return all;
    }
    const bool isInPlace = m_acquisition.rectifier.isIdentity() && rows == outRows;
    const StoredViews views = storedViewsOf(m_acquisition);
    std::mutex mutex;
    parallelFor(
        m_threads, batch.views.size(), 1,
        [&](Index begin, Index end, int worker) {
            for (Index s = begin; s < end; ++s) {
                const Span3<std::byte> pixels = stored.slices({s, s + 1});
                const Span3<float> out = values.slices({s, s + 1});
                const Span3<float> view = {isInPlace ? out.data() : m_scratch[worker].data(), 1,
                                           rows.size(), columns};
                InvalidPixels found;
                m_corrector.integrals({batch.views.begin + s,
                                       rows,
                                       {pixels.data(), static_cast<std::size_t>(pixels.count())},
                                       rows,
                                       batch.counted},
                                      view, found);
                if (!isInPlace)
                    kUprightStep.resample(views, view, rows.begin,
                                          {out.data(), 1, outRows.size(), columns}, outRows.begin);
                padRowsInPlace(m_acquisition.redundancy, out);
                const std::scoped_lock lock(mutex);
                all += found;
            }
        },
        stop);
    return all;
}

void filterViews(CpuFilter& filter, Batch& batch, Index columns, const std::stop_token& stop) {
    for (std::size_t part = 0; part < batch.rows.parts().size(); ++part)
        filter.apply(batch.valueBlock(part, columns), batch.views.begin,
                     batch.rows.parts()[part].begin, stop);
}

}  // namespace gantry
