#include "core/align/quick_slices.h"

#include <algorithm>
#include <cmath>

namespace gantry {

namespace {

// Near its edge the slice of an object that is larger than the field of view is too bright.
constexpr double kInnerCircle = 0.85;

// The stack's geometry, as if its detector stood upright.
ScanGeometry uprightGeometry(const ScanGeometry& declared, const ViewStack& stack) {
    ScanGeometry geometry = binnedGeometry(declared, stack);
    geometry.detector = uprightDetector(geometry);
    return geometry;
}

}  // namespace

QuickSlices::QuickSlices(const ScanGeometry& declared, const ViewStack& stack,
                         PlanePreview& preview, const std::stop_token& stop)
    : m_views(stack.views),
      m_firstRow(stack.firstRow),
      m_binning(stack.binning),
      m_preview(preview) {
    const ScanGeometry binned = uprightGeometry(declared, stack);
    const auto acquisition = acquisitionOf(stack, binned, FilterRows::own);
    m_padBefore = acquisition->redundancy.padBefore;
    const RedundancyPlan& redundancy = acquisition->redundancy;
    m_showTheCentre =
        redundancy.kind != Redundancy::offsetDetector || redundancy.cover.seesBothSidesAlike();
    m_grid = fitGrid(binned);
    const FieldOfView seen = fieldOfView(binned);
    // Off the axis the cone cuts the cylinder that all views see.
    const AlignedDetector& detector = acquisition->geometry.detector;
    const double share =
        detector.isParallel() ? 1 : 1 - std::min(0.5, seen.radiusMm / detector.axisDistanceMm);
    const double middleMm = (seen.zMinMm + seen.zMaxMm) / 2;
    m_seenMm = {middleMm + share * (seen.zMinMm - middleMm),
                middleMm + share * (seen.zMaxMm - middleMm)};
    m_preview.setLineIntegrals(stack.span(), stop);
    m_preview.setFilter(acquisition, {});
    m_preview.filter({0, acquisition->geometry.views}, stop);
}

std::vector<double> QuickSlices::heightsMm(int count, double share) const {
    const double middle = (m_seenMm[0] + m_seenMm[1]) / 2;
    std::vector<double> heights;
    heights.reserve(count);
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
        ProjectionMatrix matrix = binnedMatrix(ofScan[view], m_binning, m_firstRow);
        for (std::size_t i = 0; i < 4; ++i)
            matrix.m[0][i] += static_cast<double>(m_padBefore) * matrix.m[2][i];
        matrices.push_back(matrix);
    }
    m_preview.setGeometry(matrices);
    std::vector<Plane> planes;
    planes.reserve(heightsMm.size());
    for (const double z : heightsMm)
        planes.push_back(orthogonalPlanes(m_grid, {0, 0, z})[0]);
    return m_preview.render(planes, PlanePreview::Precision::quick, stop);
}

Sharpness sharpness(Span3<const float> picture) {
    const double middleX = static_cast<double>(picture.size(2) - 1) / 2;
    const double middleY = static_cast<double>(picture.size(1) - 1) / 2;
    double squares = 0;
    double sizes = 0;
    for (Index y = 1; y + 1 < picture.size(1); ++y)
        for (Index x = 1; x + 1 < picture.size(2); ++x) {
            const double dx = (static_cast<double>(x) - middleX) / (middleX + 0.5);
            const double dy = (static_cast<double>(y) - middleY) / (middleY + 0.5);
            if (dx * dx + dy * dy > kInnerCircle * kInnerCircle) continue;
            const double alongX = picture(0, y, x + 1) - picture(0, y, x - 1);
            const double alongY = picture(0, y + 1, x) - picture(0, y - 1, x);
            const double square = alongX * alongX + alongY * alongY;
            squares += square;
            sizes += std::sqrt(square);
        }
    return {squares, sizes > 0 ? squares / (sizes * sizes) : 0};
}

}  // namespace gantry
