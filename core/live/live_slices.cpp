#include "core/live/live_slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/geometry/check/validate.h"
#include "core/scan/stack/load_view_stack.h"

namespace gantry {

namespace {

constexpr Index kCoarseColumns = 128;  // max., for the first pictures
constexpr Index kCoarseViews = 180;    // whose streaks are fine enough for the first pictures
constexpr Index kMinPixels = 8;        // along a side of a binned view
constexpr Index kMaxBinning = 64;
constexpr Index kFilteredAtOnce = 64;  // views, between two checks of the stop token

// Size of the views of one level.
struct LevelSize {
    Index binning;
    Index views;
    Index rows;
    Index columns;
    Index padding;  // columns

    [[nodiscard]] Index lineIntegralBytes() const {
        return views * rows * columns * Index{sizeof(float)};
    }
    // Bytes including the filtered views.
    [[nodiscard]] Index bytes() const {
        return 2 * lineIntegralBytes() + views * rows * padding * Index{sizeof(float)};
    }
};

// Columns that views on a GPU have in any case on either side, so that their number, and with it
// what was filtered, stays while the centre of a turn moves by some pixels.
Index marginOf(const ScanGeometry& geometry, Index columns, bool isOnDevice) {
    return isOnDevice && geometry.isFullCircle() ? columns / 16 : 0;
}

// Levels of a scan whose finest views have that binning, the finest first.
std::vector<LevelSize> levelsFrom(Index finest, const OpenScan& scan, bool isOnDevice) {
    const SourceInfo& info = scan.source->info();
    const Index margin = marginOf(scan.description.geometry, info.columns, isOnDevice);
    const Index padding =
        std::max(margin, scan.redundancy.padBefore) + std::max(margin, scan.redundancy.padAfter);
    std::vector<LevelSize> levels;
    for (Index binning = finest;; binning *= 2) {
        const Index views =
            std::max(std::min(info.views, kCoarseViews), info.views / (binning / finest));
        levels.push_back(
            {binning, views, info.rows / binning, info.columns / binning, padding / binning + 1});
        const LevelSize& last = levels.back();
        if (last.columns <= kCoarseColumns || last.columns / 2 < kMinPixels ||
            last.rows / 2 < kMinPixels)
            return levels;
    }
}

Index bytesOf(const std::vector<LevelSize>& levels) {
    return std::accumulate(
        levels.begin(), levels.end(), Index{0},
        [](Index bytes, const LevelSize& level) { return bytes + level.bytes(); });
}

// Requests all views.
StackRequest wholeStack(const OpenScan& scan, Index binning) {
    StackRequest request;
    request.maxViews = scan.source->info().views;
    request.rows = {0, scan.source->info().rows};
    request.binning = {binning, binning};
    return request;
}

// Every view of a stack, or evenly chosen ones, binned two by two.
ViewStack halved(const ViewStack& fine, Index views, int threads, const std::stop_token& stop) {
    constexpr std::array<Index, 2> kTwo = {2, 2};
    const auto all = std::ssize(fine.views);
    ViewStack coarse;
    coarse.binning = {2 * fine.binning[0], 2 * fine.binning[1]};
    coarse.firstRow = fine.firstRow;
    coarse.rows = fine.rows / 2;
    coarse.columns = fine.columns / 2;
    coarse.pixels = HostBuffer<float>(views * coarse.rows * coarse.columns);
    for (Index s = 0; s < views; ++s)
        coarse.views.push_back(fine.views[s * all / views]);
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

// Maps pixels of the real detector to those of a rectified and padded view, up to a factor.
Rectifier::Homography toView(const Acquisition& acquisition) {
    const Rectifier::Homography& a = acquisition.rectifier.homography();
    Rectifier::Homography inverse;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            const std::size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3;
            const std::size_t j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            inverse[j][i] = a[i1][j1] * a[i2][j2] - a[i1][j2] * a[i2][j1];
        }
    for (std::size_t j = 0; j < 3; ++j)
        inverse[0][j] += static_cast<double>(acquisition.redundancy.padBefore) * inverse[2][j];
    return inverse;
}

// The factor that FDK's constants put on a line integral (resources/help/architecture.md): SOD²/τ.
double gainOf(const AlignedDetector& detector) {
    return detector.axisDistanceMm * detector.axisDistanceMm / detector.pitchAtAxisMm;
}

// Maps world mm to pixels of a view that was filtered for another geometry. real: to pixels of the
// detector in the new geometry; axisDepth: z at the isocentre
ProjectionMatrix ontoFiltered(const ProjectionMatrix& real, const Rectifier::Homography& toView,
                              double axisDepth) {
    ProjectionMatrix matrix;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 4; ++j)
            for (std::size_t k = 0; k < 3; ++k)
                matrix.m[i][j] += toView[i][k] * real.m[k][j];
    const double scale = axisDepth / matrix.m[2][3];
    for (auto& row : matrix.m)
        for (double& value : row)
            value *= scale;
    return matrix;
}

}  // namespace

Plane coarser(const Plane& plane, Index binning) {
    Plane coarse = plane;
    coarse.columns = std::max<Index>(1, plane.columns / binning);
    coarse.rows = std::max<Index>(1, plane.rows / binning);
    return coarse;
}

LiveSlices::Needs LiveSlices::needsOf(const OpenScan& scan, const LivePlace& place, int threads) {
    const Index deviceBytes = place.device ? place.device->bytes : 0;
    Needs needs;
    for (Index binning = 1; binning <= kMaxBinning; binning *= 2) {
        const std::vector<LevelSize> levels = levelsFrom(binning, scan, place.device.has_value());
        const LevelSize& finest = levels.front();
        if (binning > 1 && std::min(finest.rows, finest.columns) < kMinPixels) break;
        const Index whileRead =
            finest.lineIntegralBytes() + readingBytes(scan, wholeStack(scan, binning), threads);
        needs = place.device ? Needs{binning, whileRead, finest.bytes()}
                             : Needs{binning, std::max(whileRead, bytesOf(levels)), 0};
        if (needs.hostBytes <= place.hostBytes && needs.deviceBytes <= deviceBytes) return needs;
    }
    const bool lacksHost = needs.hostBytes > place.hostBytes;
    throw ResourceError(fmt::format("Live slices of this scan need {}{}, and may take {}.",
                                    formatBytes(lacksHost ? needs.hostBytes : needs.deviceBytes),
                                    lacksHost ? "" : " of the GPU's memory",
                                    formatBytes(lacksHost ? place.hostBytes : deviceBytes)),
                        {.advice = "Allow them more memory."});
}

LiveSlices::LiveSlices(const OpenScan& scan, const LiveOptions& options,
                       const std::stop_token& stop)
    : m_scan(scan.description.geometry),
      m_extension(scan.redundancy.extension),
      m_isOnDevice(options.place.device.has_value()),
      m_needs(needsOf(scan, options.place, options.threads)) {
    refuseOwnDetectors(m_scan);
    const StackRequest finest = wholeStack(scan, m_needs.binning);
    addLevel(loadViewStack(scan, finest, options.threads, options.onProgress, stop), options, stop);
    if (m_isOnDevice) return;
    const std::vector<LevelSize> sizes = levelsFrom(m_needs.binning, scan, false);
    for (std::size_t i = 1; i < sizes.size(); ++i)
        addLevel(halved(m_levels.back().stack, sizes[i].views, options.threads, stop), options,
                 stop);
    std::ranges::reverse(m_levels);
}

void LiveSlices::addLevel(ViewStack stack, const LiveOptions& options,
                          const std::stop_token& stop) {
    Level level;
    level.preview = options.makePreview();
    level.stack = std::move(stack);
    if (level.preview->setLineIntegrals(level.stack.span(), stop)) level.stack.pixels = {};
    m_levels.push_back(std::move(level));
}

FilterRows LiveSlices::rowsOf(const SliceRequest& request) const {
    return m_isOnDevice ? FilterRows::upright : request.rows;
}

void LiveSlices::refuseOwnDetectors(const ScanGeometry& geometry) const {
    if (!m_isOnDevice || !onOwnDetectors(geometry, FilterRows::upright)) return;
    throw ResourceError(
        fmt::format("A GPU makes no live slices of {}, whose views have weights of their own.",
                    geometry.poses() ? "calibrated poses" : "a parallel beam about a tilted axis"),
        {.advice = "Choose the CPU as the engine, and start again."});
}

void LiveSlices::checkFits(const ScanGeometry& geometry) const {
    refuseOwnDetectors(geometry);
    const Detector& was = m_scan.detector;
    const Detector& is = geometry.detector;
    if (is.columns != was.columns || is.rows != was.rows || geometry.views() != m_scan.views())
        throwError<InputError>(
            "The geometry is for {} views of {} × {} pixels; the scan has {} of {} × {}.",
            geometry.views(), is.columns, is.rows, m_scan.views(), was.columns, was.rows);
    throwOnError(validate(geometry), "the scan");
}

std::vector<ProjectionMatrix> LiveSlices::matricesAsFiltered(const Level& level,
                                                             const ScanGeometry& binned,
                                                             const AlignedDetector& aligned) {
    const std::vector<ProjectionMatrix> real = projectionMatrices(binned);
    std::vector<ProjectionMatrix> matrices;
    matrices.reserve(level.filtered.size());
    for (std::size_t s = 0; s < level.filtered.size(); ++s)
        matrices.push_back(ontoFiltered(real[level.stack.views[s]], level.filtered[s].toView,
                                        std::sqrt(level.filtered[s].gain * aligned.pitchAtAxisMm)));
    return matrices;
}

void LiveSlices::filterAgain(Level& level, const std::shared_ptr<const Acquisition>& acquisition,
                             const SliceRequest& request, FilterRows rows,
                             const std::stop_token& stop) {
    const Index views = acquisition->geometry.views;
    const Index columns = acquisition->geometry.detector.columns;
    if (level.columns != columns) level.filtered.clear();
    level.columns = columns;
    level.isFiltered = false;
    level.preview->setFilter(acquisition, request.filter);
    const FilteredView now = {toView(*acquisition), gainOf(acquisition->geometry.detector)};
    for (Index first = 0; first < views; first += kFilteredAtOnce) {
        if (stop.stop_requested()) throw Cancelled();
        const IndexRange some = {first, std::min(views, first + kFilteredAtOnce)};
        level.preview->filter(some, {});
        if (std::ssize(level.filtered) < some.end) level.filtered.resize(some.end);
        std::fill(level.filtered.begin() + some.begin, level.filtered.begin() + some.end, now);
    }
    level.geometry = request.geometry;
    level.filter = request.filter;
    level.rows = rows;
    level.isFiltered = true;
}

void LiveSlices::renderLevel(Level& level, const SliceRequest& request,
                             const std::function<void(const SliceStep&)>& onStep,
                             const std::stop_token& stop) {
    const ScanGeometry binned = binnedGeometry(request.geometry, level.stack);
    const FilterRows rows = rowsOf(request);
    RowExtension extension = gantry::binned(m_extension, level.stack.binning[0]);
    const Index margin = marginOf(binned, level.stack.columns, m_isOnDevice);
    extension.shownBefore = std::max(extension.shownBefore, margin);
    extension.shownAfter = std::max(extension.shownAfter, margin);
    const auto acquisition = acquisitionOf(level.stack, binned, rows, extension);
    SliceStep step;
    step.binning = level.stack.binning[0];
    std::vector<Plane> planes = request.planes;
    for (Plane& plane : planes)
        plane = coarser(plane, step.binning / m_needs.binning);
    if (!level.isFiltered || level.geometry != request.geometry || level.filter != request.filter ||
        level.rows != rows) {
        if (m_isOnDevice && level.columns == acquisition->geometry.detector.columns &&
            level.filtered.size() == level.stack.views.size()) {
            level.preview->setGeometry(
                matricesAsFiltered(level, binned, acquisition->geometry.detector));
            step.pictures = level.preview->render(planes, PlanePreview::Precision::quick, stop);
            onStep(step);
        }
        filterAgain(level, acquisition, request, rows, stop);
    }
    level.preview->setGeometry(acquisition->geometry.matrices);
    step.isFinal = &level == &m_levels.back();
    step.pictures = level.preview->render(planes, PlanePreview::Precision::exact, stop);
    onStep(step);
}

void LiveSlices::render(const SliceRequest& request,
                        const std::function<void(const SliceStep&)>& onStep,
                        const std::stop_token& stop) {
    checkFits(request.geometry);
    for (Level& level : m_levels)
        renderLevel(level, request, onStep, stop);
}

}  // namespace gantry
