#include "core/prep/rectify.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/base/error.h"
#include "core/geometry/views/projection_matrix.h"

namespace gantry {

namespace {

// Rows [firstRow, firstRow + rows) of a detector image.
struct Image {
    const float* data;
    Index columns;
    Index firstRow;
    Index rows;

    [[nodiscard]] float at(Index u, Index v) const {
        const Index row = v - firstRow;
        return u >= 0 && u < columns && row >= 0 && row < rows ? data[row * columns + u] : 0.0f;
    }

    [[nodiscard]] float interpolate(double u, double v) const {
        const Index i = floorOf(u);
        const Index j = floorOf(v);
        const auto fu = static_cast<float>(u - static_cast<double>(i));
        const auto fv = static_cast<float>(v - static_cast<double>(j));
        const Index row = j - firstRow;
        if (i >= 0 && i + 1 < columns && row >= 0 && row + 1 < rows) {
            const float* below = data + row * columns + i;
            const float* above = below + columns;
            return between(below[0], below[1], above[0], above[1], fu, fv);
        }
        return between(at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1), fu, fv);
    }

  private:
    // std::floor() is a call where the processor is not known to round.
    [[nodiscard]] static Index floorOf(double value) {
        const auto towardsZero = static_cast<std::int32_t>(value);
        return towardsZero - (value < static_cast<double>(towardsZero) ? 1 : 0);
    }
    [[nodiscard]] static float between(float a, float b, float c, float d, float fu, float fv) {
        const float lower = a + fu * (b - a);
        const float upper = c + fu * (d - c);
        return lower + fv * (upper - lower);
    }
};

}  // namespace

Rectifier::Rectifier(const ScanGeometry& declared, FilterRows rows)
    : m_isIdentity(rows != FilterRows::upright || declared.isAligned()),
      m_columns(declared.detector.columns),
      m_rows(declared.detector.rows) {
    if (m_isIdentity) {
        m_homography = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        return;
    }
    const ScanGeometry& geometry = declared;
    ScanGeometry upright = geometry;
    upright.detector = uprightDetector(geometry);
    const Detector& detector = upright.detector;
    // Source and detector form one rigid body, so one view represents all.
    const ProjectionMatrix real = projectionMatrix(viewPose(geometry, 0), geometry.detector);
    const ViewPose aligned = viewPose(upright, 0);
    const Vec3 corner = aligned.detectorCenterMm -
                        (static_cast<double>(detector.columns) - 1) / 2 * aligned.uStepMm -
                        (static_cast<double>(detector.rows) - 1) / 2 * aligned.vStepMm;
    for (std::size_t i = 0; i < 3; ++i) {
        const auto& row = real.m[i];
        const Vec3 direction = {row[0], row[1], row[2]};
        m_homography[i][0] = dot(direction, aligned.uStepMm);
        m_homography[i][1] = dot(direction, aligned.vStepMm);
        m_homography[i][2] = dot(direction, corner) + row[3];
    }
}

Rectifier::Point Rectifier::toReal(double u, double v) const {
    const auto& h = m_homography;
    const double depth = h[2][0] * u + h[2][1] * v + h[2][2];
    if (!(depth > 0)) {
        constexpr double kNowhere = std::numeric_limits<double>::infinity();
        return {kNowhere, kNowhere};
    }
    return {(h[0][0] * u + h[0][1] * v + h[0][2]) / depth,
            (h[1][0] * u + h[1][1] * v + h[1][2]) / depth};
}

IndexRange Rectifier::sourceRows(IndexRange rows) const {
    const Index all = m_rows;
    if (rows.empty()) return {0, 0};
    if (isIdentity()) return {std::max<Index>(0, rows.begin), std::min(all, rows.end)};
    // A rectangle's image is a quadrangle, whose extremes are its corners.
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const Index v : {rows.begin, rows.end - 1}) {
        for (const Index u : {Index{0}, m_columns - 1}) {
            const double at = toReal(static_cast<double>(u), static_cast<double>(v)).v;
            if (!std::isfinite(at)) return {0, all};
            low = std::min(low, at);
            high = std::max(high, at);
        }
    }
    const auto bounded = [&](double row) {
        return static_cast<Index>(std::clamp(row, 0.0, static_cast<double>(all)));
    };
    // Adds both neighbours of either extreme, because rounding may move it across a row.
    constexpr double kRounding = 1e-6;
    const IndexRange range = {bounded(std::floor(low - kRounding)),
                              bounded(std::floor(high + kRounding) + 2)};
    return range.empty() ? IndexRange{0, 0} : range;
}

void Rectifier::apply(Span3<const float> view, Index firstRow, Span3<float> out,
                      Index outRow) const {
    const IndexRange needed = sourceRows({outRow, outRow + out.size(1)});
    require(
        view.size(2) == m_columns && out.size(2) == view.size(2) &&
            (needed.empty() || (firstRow <= needed.begin && needed.end <= firstRow + view.size(1))),
        "rectification lacks detector rows that it has to read");
    const Image image = {view.data(), view.size(2), firstRow, view.size(1)};
    const double lastColumn = static_cast<double>(view.size(2));
    const double lastRow = static_cast<double>(m_rows);
    // Positions of a stretch of pixels first, as divisions of several go together.
    constexpr Index kPointsAtOnce = 256;
    std::array<Point, kPointsAtOnce> points;
    for (Index v = 0; v < out.size(1); ++v) {
        const auto atV = static_cast<double>(outRow + v);
        for (Index begin = 0; begin < out.size(2); begin += kPointsAtOnce) {
            const Index count = std::min(kPointsAtOnce, out.size(2) - begin);
            for (Index k = 0; k < count; ++k)
                points[k] = toReal(static_cast<double>(begin + k), atV);
            float* row = out.row(0, v) + begin;
            for (Index k = 0; k < count; ++k) {
                const Point& from = points[k];
                const bool inside =
                    from.u > -1 && from.u < lastColumn && from.v > -1 && from.v < lastRow;
                row[k] = inside ? image.interpolate(from.u, from.v) : 0.0f;
            }
        }
    }
}

}  // namespace gantry
