#include "core/align/quick_slices.h"

#include <algorithm>
#include <cmath>

#include "core/filter/cpu_filter.h"

namespace gantry {

namespace {

// Near its edge the slice of an object that is larger than the field of view is too bright.
constexpr double kInnerCircle = 0.85;

// The scan as if its detector had the stack's pixels, and stood upright.
ScanGeometry binnedGeometry(const ScanGeometry& declared, const ViewStack& stack) {
    ScanGeometry geometry = declared;
    Detector& detector = geometry.detector;
    const std::array<Index, 2> first = {0, stack.firstRow};
    const std::array<Index, 2> pixels = {stack.columns, stack.rows};
    const std::array<Index, 2> declaredPixels = {detector.columns, detector.rows};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const Index taken = pixels[axis] * stack.binning[axis];
        const double middle =
            static_cast<double>(2 * first[axis] + taken - declaredPixels[axis]) / 2;
        detector.offsetMm[axis] += middle * detector.pitchMm[axis];
        detector.pitchMm[axis] *= static_cast<double>(stack.binning[axis]);
    }
    detector.columns = stack.columns;
    detector.rows = stack.rows;
    detector.rollDeg = detector.tiltDeg = detector.slantDeg = 0;
    return geometry;
}

std::vector<Index> others(Index views, const std::vector<Index>& chosen) {
    std::vector<bool> isChosen(static_cast<std::size_t>(views));
    for (const Index view : chosen)
        isChosen[static_cast<std::size_t>(view)] = true;
    std::vector<Index> left;
    for (Index view = 0; view < views; ++view)
        if (!isChosen[static_cast<std::size_t>(view)]) left.push_back(view);
    return left;
}

}  // namespace

QuickSlices::QuickSlices(const ScanGeometry& declared, const ViewStack& stack,
                         PlanePreview& preview, int threads, const std::stop_token& stop)
    : m_views(stack.views),
      m_firstRow(stack.firstRow),
      m_binning(stack.binning),
      m_preview(preview) {
    const ScanGeometry binned = binnedGeometry(declared, stack);
    const RedundancyPlan plan = planRedundancy(binned);
    const AlignedViews aligned = alignedViews(binned, plan, others(declared.views(), stack.views));
    m_padBefore = plan.padBefore;
    m_showTheCentre = plan.kind != Redundancy::offsetDetector;
    m_grid = fitGrid(binned);
    const FieldOfView seen = fieldOfView(binned);
    // Off the axis the cone cuts the cylinder that all views see.
    const double share = 1 - std::min(0.5, seen.radiusMm / aligned.detector.axisDistanceMm);
    const double middleMm = (seen.zMinMm + seen.zMaxMm) / 2;
    m_seenMm = {middleMm + share * (seen.zMinMm - middleMm),
                middleMm + share * (seen.zMaxMm - middleMm)};

    const Index views = static_cast<Index>(stack.views.size());
    const Index columns = aligned.detector.columns;
    m_filtered = HostBuffer<float>(views * stack.rows * columns);
    const Span3<float> padded = {m_filtered.data(), views, stack.rows, columns};
    std::copy_n(stack.pixels.data(), stack.pixels.count(), m_filtered.data());
    padRowsInPlace(plan, padded);
    makeCpuFilter(aligned, {}, plan, threads)->apply(padded, 0, 0, stop);
    m_preview.setViews(padded, stop);
}

std::vector<double> QuickSlices::heightsMm(int count, double share) const {
    const double middle = (m_seenMm[0] + m_seenMm[1]) / 2;
    std::vector<double> heights;
    heights.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
        heights.push_back(middle + share * (m_seenMm[1] - m_seenMm[0]) / 2 *
                                       (2.0 * i / std::max(1, count - 1) - 1));
    return heights;
}

std::vector<Span3<const float>> QuickSlices::render(std::span<const ProjectionMatrix> ofScan,
                                                    std::span<const double> heightsMm,
                                                    const std::stop_token& stop) {
    std::vector<ProjectionMatrix> matrices;
    matrices.reserve(m_views.size());
    for (const Index view : m_views) {
        ProjectionMatrix matrix =
            binnedMatrix(ofScan[static_cast<std::size_t>(view)], m_binning, m_firstRow);
        for (std::size_t i = 0; i < 4; ++i)
            matrix.m[0][i] += static_cast<double>(m_padBefore) * matrix.m[2][i];
        matrices.push_back(matrix);
    }
    m_preview.setGeometry(matrices);
    std::vector<Plane> planes;
    planes.reserve(heightsMm.size());
    for (const double z : heightsMm)
        planes.push_back(orthogonalPlanes(m_grid, {0, 0, z})[0]);
    return m_preview.render(planes, stop);
}

double sharpness(Span3<const float> picture) {
    const double middleX = static_cast<double>(picture.size(2) - 1) / 2;
    const double middleY = static_cast<double>(picture.size(1) - 1) / 2;
    double sum = 0;
    for (Index y = 1; y + 1 < picture.size(1); ++y)
        for (Index x = 1; x + 1 < picture.size(2); ++x) {
            const double dx = (static_cast<double>(x) - middleX) / (middleX + 0.5);
            const double dy = (static_cast<double>(y) - middleY) / (middleY + 0.5);
            if (dx * dx + dy * dy > kInnerCircle * kInnerCircle) continue;
            const double alongX = picture(0, y, x + 1) - picture(0, y, x - 1);
            const double alongY = picture(0, y + 1, x) - picture(0, y - 1, x);
            sum += alongX * alongX + alongY * alongY;
        }
    return sum;
}

}  // namespace gantry
