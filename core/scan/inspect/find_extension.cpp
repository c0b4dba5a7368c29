#include "core/scan/inspect/find_extension.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/backproject/interpolate.h"
#include "core/base/parallel.h"
#include "core/filter/cpu_filter.h"
#include "core/geometry/views/aligned_views.h"
#include "core/geometry/volume_grid.h"
#include "core/scan/corrected_scan.h"
#include "core/scan/inspect/picture_facts.h"
#include "core/scan/stack/load_view_stack.h"

namespace gantry {

namespace {

// The most that is estimated beyond an edge, in widths of the detector.
constexpr Index kMaxWidths = 2;

// A slice of the field of view through the rows about the mid-plane, coarse and from few views.
class CoarseSlice {
  public:
    CoarseSlice(const OpenScan& scan, int threads, const std::stop_token& stop)
        : m_threads(threads),
          m_stop(stop),
          m_stack(loadViewStack(
              scan, requestFor(scan), threads, [](double) {}, stop)),
          m_geometry(binnedGeometry(scan.description.geometry, m_stack)) {}

    [[nodiscard]] Index binning() const { return m_stack.binning[0]; }

    // The object's median attenuation, 1/mm, with rows of the scan extended so; 0 where there is
    // nothing.
    [[nodiscard]] double levelWith(const RowExtension& ofScan) const {
        std::vector<float> voxels = sliceWith(binned(ofScan, binning()));
        const float dense = quantile(voxels, 0.9);
        if (!(dense > 0)) return 0;
        // Air around and within the object does not count.
        std::erase_if(voxels, [dense](float voxel) { return voxel < dense / 2; });
        return static_cast<double>(quantile(voxels, 0.5));
    }

  private:
    static StackRequest requestFor(const OpenScan& scan) {
        constexpr Index kViews = 180;
        constexpr Index kColumns = 256;
        constexpr Index kRows = 5;  // of the stack
        const SourceInfo& info = scan.source->info();
        StackRequest request;
        request.maxViews = kViews;
        request.binning[0] = std::max<Index>(1, info.columns / kColumns);
        request.binning[1] = std::min(request.binning[0], info.rows);
        const Index rows = std::min(kRows * request.binning[1], info.rows);
        const auto middle =
            static_cast<Index>(std::lround(scan.description.geometry.midplaneRow())) - rows / 2;
        request.rows.begin = std::clamp<Index>(middle, 0, info.rows - rows);
        request.rows.end = request.rows.begin + rows;
        return request;
    }

    static float quantile(std::vector<float>& values, double share) {
        const auto at = values.begin() +
                        static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
        std::nth_element(values.begin(), at, values.end());
        return *at;
    }

    [[nodiscard]] HostBuffer<float> filtered(const Acquisition& acquisition) const {
        const Index columns = acquisition.geometry.detector.columns;
        const Span3<const float> stack = m_stack.span();
        HostBuffer<float> values(stack.size(0) * stack.size(1) * columns);
        const Span3<float> views = {values.data(), stack.size(0), stack.size(1), columns};
        std::copy_n(stack.data(), stack.count(), values.data());
        padRowsInPlace(acquisition.redundancy, views);
        CpuFilter(acquisition.geometry, {}, acquisition.redundancy, m_threads)
            .apply(views, 0, 0, m_stop);
        return values;
    }

    // The voxels in the inner part of the field of view, in no order.
    [[nodiscard]] std::vector<float> sliceWith(const RowExtension& extension) const {
        constexpr Index kAcross = 96;
        constexpr double kInnerPart = 0.85;  // what is left of a rim lies outside
        const auto acquisition = acquisitionOf(m_stack, m_geometry, FilterRows::own, extension);
        const HostBuffer<float> values = filtered(*acquisition);
        const Span3<const float> views = {values.data(), std::ssize(m_stack.views), m_stack.rows,
                                          acquisition->geometry.detector.columns};
        const double radiusMm = kInnerPart * fieldOfView(m_geometry).radiusMm;
        const double heightMm = heightOf(acquisition->geometry.matrices.front());
        std::vector<Vec3> places;
        for (Index y = 0; y < kAcross; ++y)
            for (Index x = 0; x < kAcross; ++x) {
                const auto along = [&](Index i) {
                    return (2 * static_cast<double>(i) + 1 - kAcross) / kAcross;
                };
                if (std::hypot(along(x), along(y)) < 1)
                    places.push_back({radiusMm * along(x), radiusMm * along(y), heightMm});
            }
        std::vector<float> voxels(places.size());
        parallelFor(
            m_threads, std::ssize(places), 64,
            [&](Index begin, Index end, int) {
                for (Index i = begin; i < end; ++i)
                    voxels[i] = voxelAt(places[i], acquisition->geometry.matrices, views);
            },
            m_stop);
        return voxels;
    }

    // Where the stack's middle row sees the axis.
    [[nodiscard]] double heightOf(const ProjectionMatrix& matrix) const {
        const double row = static_cast<double>(m_stack.rows - 1) / 2;
        const auto& m = matrix.m;
        return (row * m[2][3] - m[1][3]) / (m[1][2] - row * m[2][2]);
    }

    // Off the axis some views see the place above or below the stack: its outermost rows stand for
    // these.
    [[nodiscard]] float voxelAt(const Vec3& at, const std::vector<ProjectionMatrix>& matrices,
                                Span3<const float> views) const {
        double sum = 0;
        for (Index s = 0; s < views.size(0); ++s) {
            const auto& m = matrices[s].m;
            const auto row = [&](std::size_t i) {
                return m[i][0] * at.x + m[i][1] * at.y + m[i][2] * at.z + m[i][3];
            };
            const double depth = row(2);
            const double v =
                std::clamp(row(1) / depth, 0.0, static_cast<double>(views.size(1) - 1));
            sum += interpolate(views, s, row(0) / depth, v) / (depth * depth);
        }
        return static_cast<float>(sum);
    }

    int m_threads;
    const std::stop_token& m_stop;
    ViewStack m_stack;
    ScanGeometry m_geometry;
};

// Each pass halves what an attenuation that is too high or too low leaves.
double attenuationOf(const OpenScan& scan, RowExtension extension, int threads,
                     const std::stop_token& stop) {
    constexpr int kPasses = 6;
    const CoarseSlice slice(scan, threads, stop);
    double perMm = slice.levelWith({});
    for (int pass = 0; pass < kPasses && perMm > 0; ++pass) {
        extension.perColumn = perMm * scan.geometry.detector.pitchAtAxisMm;
        perMm = slice.levelWith(extension);
    }
    return perMm;
}

// How many columns the shadows take beyond the edge, but for a few rows, up to `max`.
Index columnsFor(const std::vector<PictureFacts>& facts, std::vector<RowEdge> PictureFacts::*edges,
                 double perColumn, Index max) {
    constexpr double kShare = 0.98;
    std::vector<double> reaches;
    for (const PictureFacts& fact : facts)
        for (const RowEdge& edge : fact.*edges)
            reaches.push_back(reachOf(edge, perColumn));
    const auto at = reaches.begin() +
                    static_cast<std::ptrdiff_t>(kShare * static_cast<double>(reaches.size() - 1));
    std::nth_element(reaches.begin(), at, reaches.end());
    return std::clamp<Index>(static_cast<Index>(std::ceil(*at)) + kEdgeColumns, 1, max);
}

// Columns beyond the edges of the detector that a cylinder of this diameter about the axis covers.
void widen(const OpenScan& scan, double diameterMm, RowExtension& extension) {
    const AlignedDetector detector =
        alignedViews(scan.description.geometry, {.rows = scan.rows}).detector;
    const double radiusMm = diameterMm / 2;
    double ends[2] = {detector.axisMm - radiusMm, detector.axisMm + radiusMm};
    if (!detector.isParallel()) {
        const double axis = std::atan2(detector.axisMm, detector.distanceMm);
        const double half = std::asin(std::min(1.0, radiusMm / detector.axisDistanceMm));
        ends[0] = detector.distanceMm * std::tan(axis - half);
        ends[1] = detector.distanceMm * std::tan(axis + half);
    }
    const auto columns = [&](double mm) {
        return std::max<Index>(0, static_cast<Index>(std::ceil(mm / detector.pitchMm[0] - 0.5)));
    };
    extension.shownBefore = columns(detector.columnMm(0) - ends[0]);
    extension.shownAfter =
        columns(ends[1] - detector.columnMm(static_cast<double>(detector.columns - 1)));
}

RowExtension extensionOf(const OpenScan& stored, const Corrections& corrections, int threads,
                         const std::stop_token& stop) {
    constexpr Index kMinViews = 4;
    const TruncationSpec& spec = corrections.truncation;
    const SourceInfo& info = stored.source->info();
    if (spec.method == TruncationMethod::none || info.views < kMinViews) return {};
    if (threads == 0) threads = availableThreads();
    const OpenScan scan = corrected(stored, corrections.measured(), threads, stop);
    const std::vector<PictureFacts> facts =
        pictureFacts(scan, viewsToLookAt(info.views), FactsOf::edges, threads, stop);
    const CutViews cut = cutViews(scan.redundancy, facts);
    const bool isAsked = spec.method != TruncationMethod::automatic;
    const bool hasLeft = !scan.redundancy.isCompletedBefore() && (isAsked || cut.left > 0);
    const bool hasRight = !scan.redundancy.isCompletedAfter() && (isAsked || cut.right > 0);
    const auto columns = [&](Index left, Index right) {
        return RowExtension{hasLeft ? left : 0, hasRight ? right : 0, 0};
    };
    if (!hasLeft && !hasRight) return {};
    const Index max = kMaxWidths * info.columns;
    const RowExtension rollOff = columns(info.columns / 2, info.columns / 2);
    if (spec.method == TruncationMethod::rollOff) return rollOff;
    const double perMm = spec.attenuationPerMm > 0
                             ? spec.attenuationPerMm
                             : attenuationOf(scan, columns(max, max), threads, stop);
    if (!(perMm > 0)) return rollOff;
    const double perColumn = perMm * scan.geometry.detector.pitchAtAxisMm;
    RowExtension extension = columns(columnsFor(facts, &PictureFacts::leftRows, perColumn, max),
                                     columnsFor(facts, &PictureFacts::rightRows, perColumn, max));
    extension.perColumn = perColumn;
    return extension;
}

}  // namespace

RowExtension findExtension(const OpenScan& stored, const Corrections& corrections, int threads,
                           const std::stop_token& stop) {
    RowExtension extension = extensionOf(stored, corrections, threads, stop);
    const TruncationSpec& spec = corrections.truncation;
    if (spec.method != TruncationMethod::none && spec.fieldOfViewMm > 0)
        widen(stored, spec.fieldOfViewMm, extension);
    return extension;
}

OpenScan withExtension(const OpenScan& opened, const RowExtension& extension) {
    OpenScan scan = opened;
    std::vector<Index> leftOut;
    for (const LeftOutView& view : opened.leftOut)
        leftOut.push_back(view.view);
    const ScanGeometry& declared = opened.description.geometry;
    scan.redundancy = planRedundancy(declared, leftOut, extension);
    scan.geometry = alignedViews(declared, scan.redundancy, leftOut, opened.rows);
    return scan;
}

OpenScan extendedAndCorrected(const OpenScan& stored, const Corrections& corrections, int threads,
                              const std::stop_token& stop) {
    const OpenScan scan = selected(stored, corrections.pixels);
    const RowExtension extension = findExtension(scan, corrections, threads, stop);
    return corrected(withExtension(scan, extension), corrections, threads, stop);
}

}  // namespace gantry
