#include "core/live/live_slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/geometry/validate.h"
#include "core/scan/stack/load_view_stack.h"

namespace gantry {

namespace {

constexpr Index kCoarseColumns = 128;  // of the first pictures, at most
constexpr Index kCoarseViews = 180;    // of which streaks are fine enough for them
constexpr Index kFewestPixels = 8;     // along a side of a binned view
constexpr Index kMostBinning = 64;

// Size of the views of one level.
struct LevelSize {
    Index binning;
    Index views;
    Index rows;
    Index columns;
    Index padding;  // columns

    // Line integrals, and filtered.
    [[nodiscard]] Index bytes() const {
        return views * rows * (2 * columns + padding) * Index{sizeof(float)};
    }
};

// Levels of a scan whose finest views have that binning, the finest first.
std::vector<LevelSize> levelsFrom(Index finest, const OpenScan& scan) {
    const SourceInfo& info = scan.source->info();
    const Index padding = scan.redundancy.padBefore + scan.redundancy.padAfter;
    std::vector<LevelSize> levels;
    for (Index binning = finest;; binning *= 2) {
        const Index views =
            std::max(std::min(info.views, kCoarseViews), info.views / (binning / finest));
        levels.push_back(
            {binning, views, info.rows / binning, info.columns / binning, padding / binning + 1});
        const LevelSize& last = levels.back();
        if (last.columns <= kCoarseColumns || last.columns / 2 < kFewestPixels ||
            last.rows / 2 < kFewestPixels)
            return levels;
    }
}

Index bytesOf(const std::vector<LevelSize>& levels) {
    return std::accumulate(
        levels.begin(), levels.end(), Index{0},
        [](Index bytes, const LevelSize& level) { return bytes + level.bytes(); });
}

// Every view of a stack, or evenly chosen ones, binned two by two.
ViewStack halved(const ViewStack& fine, Index views, int threads, const std::stop_token& stop) {
    constexpr std::array<Index, 2> kTwo = {2, 2};
    const auto all = static_cast<Index>(fine.views.size());
    ViewStack coarse;
    coarse.binning = {2 * fine.binning[0], 2 * fine.binning[1]};
    coarse.firstRow = fine.firstRow;
    coarse.rows = fine.rows / 2;
    coarse.columns = fine.columns / 2;
    coarse.pixels = HostBuffer<float>(views * coarse.rows * coarse.columns);
    for (Index s = 0; s < views; ++s)
        coarse.views.push_back(fine.views[static_cast<std::size_t>(s * all / views)]);
    const Span3<float> out = {coarse.pixels.data(), views, coarse.rows, coarse.columns};
    parallelFor(
        threads, views, 1,
        [&](Index begin, Index end, int) {
            for (Index s = begin; s < end; ++s) {
                const Index from = s * all / views;
                binView(fine.span().slices({from, from + 1}), kTwo, out.slices({s, s + 1}));
            }
        },
        stop);
    return coarse;
}

}  // namespace

Plane coarser(const Plane& plane, Index binning) {
    Plane coarse = plane;
    coarse.columns = std::max<Index>(1, plane.columns / binning);
    coarse.rows = std::max<Index>(1, plane.rows / binning);
    return coarse;
}

LiveSlices::Needs LiveSlices::needsOf(const OpenScan& scan, Index memoryBytes) {
    Needs needs;
    for (Index binning = 1; binning <= kMostBinning; binning *= 2) {
        const std::vector<LevelSize> levels = levelsFrom(binning, scan);
        if (binning > 1 && std::min(levels.front().rows, levels.front().columns) < kFewestPixels)
            break;
        needs = {binning, bytesOf(levels)};
        if (needs.bytes <= memoryBytes) return needs;
    }
    throw ResourceError(fmt::format("Live slices of this scan need {}, and may take {}.",
                                    formatBytes(needs.bytes), formatBytes(memoryBytes)),
                        {.advice = "Allow them more memory."});
}

LiveSlices::LiveSlices(const OpenScan& scan, PlanePreview& preview, const LiveOptions& options,
                       const std::stop_token& stop)
    : m_preview(preview),
      m_scan(scan.description.geometry),
      m_threads(options.threads),
      m_needs(needsOf(scan, options.memoryBytes)) {
    StackRequest finest;
    finest.mostViews = scan.source->info().views;
    finest.rows = {0, scan.source->info().rows};
    finest.binning = {m_needs.binning, m_needs.binning};
    m_levels.emplace_back();
    m_levels.back().stack = loadViewStack(scan, finest, m_threads, options.onProgress, stop);
    const std::vector<LevelSize> sizes = levelsFrom(m_needs.binning, scan);
    for (std::size_t i = 1; i < sizes.size(); ++i) {
        Level coarse;
        coarse.stack = halved(m_levels.front().stack, sizes[i].views, m_threads, stop);
        m_levels.insert(m_levels.begin(), std::move(coarse));
    }
}

void LiveSlices::checkFits(const ScanGeometry& geometry) const {
    const Detector& was = m_scan.detector;
    const Detector& is = geometry.detector;
    if (is.columns != was.columns || is.rows != was.rows || geometry.views() != m_scan.views())
        throw InputError(fmt::format(
            "The geometry is for {} views of {} × {} pixels; the scan has {} of {} × {}.",
            geometry.views(), is.columns, is.rows, m_scan.views(), was.columns, was.rows));
    throwOnError(validate(geometry), "the scan");
}

void LiveSlices::makeReady(Level& level, const SliceRequest& request,
                           const std::stop_token& stop) const {
    if (level.isFiltered && level.geometry == request.geometry && level.filter == request.filter)
        return;
    level.isFiltered = false;
    filterStack(level.stack, binnedGeometry(request.geometry, level.stack), request.filter,
                m_threads, level.filtered, stop);
    level.geometry = request.geometry;
    level.filter = request.filter;
    level.isFiltered = true;
}

void LiveSlices::render(const SliceRequest& request,
                        const std::function<void(const SliceStep&)>& onStep,
                        const std::stop_token& stop) {
    checkFits(request.geometry);
    for (Level& level : m_levels) {
        makeReady(level, request, stop);
        m_preview.setViews(level.filtered.span(), stop);
        m_preview.setGeometry(level.filtered.geometry.matrices);
        SliceStep step;
        step.isFinal = &level == &m_levels.back();
        step.binning = level.stack.binning[0];
        std::vector<Plane> planes = request.planes;
        if (!step.isFinal)
            for (Plane& plane : planes)
                plane = coarser(plane, step.binning / m_needs.binning);
        step.pictures = m_preview.render(planes, stop);
        onStep(step);
    }
}

}  // namespace gantry
