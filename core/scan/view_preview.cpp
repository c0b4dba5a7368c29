#include "core/scan/view_preview.h"

#include <algorithm>
#include <optional>

#include "core/base/throw_error.h"
#include "core/filter/cpu_filter.h"
#include "core/pipeline/batch.h"
#include "core/scan/held_views.h"
#include "core/scan/view_stages.h"

namespace gantry {

namespace {

FloatImage imageOf(Index rows, Index columns) {
    return {rows, columns, HostBuffer<float>(rows * columns)};
}

void checkIndex(Index index, Index count, const char* what) {
    if (index < 0 || index >= count)
        throwError<InputError>("{} {} is not in the scan, which has {}", what, index, count);
}

// Copies rows of a padded detector, [row][column], without the columns that padding adds.
void copyWithoutPadding(const OpenScan& scan, const float* padded, Index rows, float* out) {
    const Index columns = scan.source->info().columns;
    const Index paddedColumns = scan.geometry.detector.columns;
    for (Index v = 0; v < rows; ++v)
        std::copy_n(padded + v * paddedColumns + scan.redundancy.padBefore, columns,
                    out + v * columns);
}

Batch makeBatch(const OpenScan& scan, IndexRange views, IndexRange rows,
                const IndexRanges& storedRows) {
    const SourceInfo& info = scan.source->info();
    Batch batch;
    batch.views = views;
    batch.rows = rows;
    batch.storedRows = storedRows;
    batch.stored = HostBuffer<std::byte>(views.size() * storedRows.size() * info.columns *
                                         sizeBytes(info.pixelType));
    batch.values = HostBuffer<float>(views.size() * rows.size() * scan.geometry.detector.columns);
    return batch;
}

}  // namespace

ViewPreview previewView(const OpenScan& scan, Index view, const FilterSpec& filter, int threads,
                        const std::stop_token& stop) {
    const SourceInfo& info = scan.source->info();
    checkIndex(view, info.views, "view");
    // Takes all rows, even where a tilted detector's aligned rows need fewer, because all are
    // shown.
    const IndexRange rows = {0, info.rows};
    Batch batch = makeBatch(scan, {view, view + 1}, rows, rows);
    loadViews(scan, batch, 1, stop);

    ViewPreview preview;
    preview.view = view;
    if (scan.uncorrected) {
        preview.stored = storedView(*scan.uncorrected->source, view);
    } else {
        preview.stored = imageOf(info.rows, info.columns);
        toFloat(info.pixelType, batch.stored.span(), preview.stored.pixels.span());
    }

    (void)ViewPreparer(scan, 1).prepare(batch, stop);
    preview.corrected = imageOf(info.rows, info.columns);
    copyWithoutPadding(scan, batch.values.data(), info.rows, preview.corrected.pixels.data());

    CpuFilter(scan.geometry, filter, scan.redundancy, threads)
        .apply(batch.valueBlock(0, scan.geometry.detector.columns), view, 0, stop);
    preview.filtered = imageOf(info.rows, info.columns);
    copyWithoutPadding(scan, batch.values.data(), info.rows, preview.filtered.pixels.data());
    return preview;
}

FloatImage storedView(const ProjectionSource& source, Index view) {
    const SourceInfo& info = source.info();
    checkIndex(view, info.views, "view");
    FloatImage image = imageOf(info.rows, info.columns);
    readView(source, view, image.pixels.span());
    return image;
}

FloatImage sinogram(const OpenScan& scan, Index row, int threads, const std::stop_token& stop) {
    const SourceInfo& info = scan.source->info();
    checkIndex(row, info.rows, "detector row");
    ViewPreparer preparer(scan, threads);
    const IndexRange rows = {row, row + 1};
    const IndexRanges storedRows = scan.storedRows(rows);

    // One row of a strongly tilted detector needs many rows, so not all views are read at once.
    constexpr Index kBatchBytes = 32'000'000;
    const Index viewBytes =
        std::max<Index>(1, storedRows.size() * info.columns * sizeBytes(info.pixelType));
    const Index batchViews = std::clamp<Index>(kBatchBytes / viewBytes,
                                               std::min<Index>(threads, info.views), info.views);
    Batch batch = makeBatch(scan, {0, batchViews}, rows, storedRows);
    FloatImage image = imageOf(info.views, info.columns);
    std::optional<HeldViews> withoutRings;
    if (scan.corrections.needsAllViews()) {
        withoutRings.emplace(scan, batchViews, threads);
        withoutRings->begin(storedRows, {});
        withoutRings->holdAll(stop);
    }
    for (Index begin = 0; begin < info.views; begin += batchViews) {
        batch.views = {begin, std::min(begin + batchViews, info.views)};
        if (withoutRings)
            withoutRings->fill(batch);
        else
            loadViews(scan, batch, threads, stop);
        (void)preparer.prepare(batch, stop);
        copyWithoutPadding(scan, batch.values.data(), batch.views.size(),
                           image.pixels.data() + begin * info.columns);
    }
    return image;
}

FloatImage filteredSinogram(const OpenScan& scan, const FloatImage& sinogram, Index row,
                            const FilterSpec& filter, int threads, const std::stop_token& stop) {
    const Index views = scan.geometry.views;
    const Index columns = scan.source->info().columns;
    require(sinogram.rows == views && sinogram.columns == columns,
            "the sinogram is not one of this scan");
    checkIndex(row, scan.geometry.detector.rows, "detector row");
    const Index paddedColumns = scan.geometry.detector.columns;
    HostBuffer<float> padded(views * paddedColumns);
    std::copy_n(sinogram.pixels.data(), views * columns, padded.data());
    padRowsInPlace(scan.redundancy, {padded.data(), views, 1, paddedColumns});
    CpuFilter(scan.geometry, filter, scan.redundancy, threads)
        .apply({padded.data(), views, 1, paddedColumns}, 0, row, stop);
    FloatImage image = imageOf(views, columns);
    copyWithoutPadding(scan, padded.data(), views, image.pixels.data());
    return image;
}

}  // namespace gantry
