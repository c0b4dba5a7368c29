#include "ui/scene/schematic/view_parts.h"

#include <algorithm>
#include <array>

namespace gantry {

namespace {

double turnBetween(QPointF a, QPointF b) {
    return a.x() * b.y() - a.y() * b.x();
}

struct Span {
    double min;
    double max;
};

template <class Points>
Span spanAlong(QPointF direction, const Points& points) {
    Span span{HUGE_VAL, -HUGE_VAL};
    for (const QPointF point : points) {
        const double at = QPointF::dotProduct(direction, point);
        span = {std::min(span.min, at), std::max(span.max, at)};
    }
    return span;
}

// Two convex shapes are disjoint if a line along an edge of one of them separates them.
bool isApart(QPointF direction, std::span<const QPointF> convex,
             const std::array<QPointF, 4>& area) {
    const Span a = spanAlong(direction, convex);
    const Span b = spanAlong(direction, area);
    return a.max <= b.min || b.max <= a.min;
}

bool meet(std::span<const QPointF> convex, const std::array<QPointF, 4>& area) {
    if (isApart({1, 0}, convex, area) || isApart({0, 1}, convex, area)) return false;
    for (std::size_t i = 0; i < convex.size(); ++i) {
        const QPointF edge = convex[(i + 1) % convex.size()] - convex[i];
        if (!edge.isNull() && isApart({-edge.y(), edge.x()}, convex, area)) return false;
    }
    return true;
}

// The hull starts and ends at the leftmost point; for collinear points it consists of the outer
// two.
std::vector<QPointF> hullOf(std::vector<QPointF> points) {
    std::ranges::sort(points, [](QPointF a, QPointF b) {
        return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y();
    });
    std::vector<QPointF> hull;
    const auto goRound = [&](auto begin, auto end) {
        const std::size_t from = hull.size();
        for (auto point = begin; point != end; ++point) {
            while (hull.size() >= from + 2 &&
                   turnBetween(hull.back() - *(hull.end() - 2), *point - hull.back()) <= 0)
                hull.pop_back();
            hull.push_back(*point);
        }
        if (hull.size() > from + 1) hull.pop_back();
    };
    goRound(points.begin(), points.end());
    goRound(points.rbegin(), points.rend());
    return hull;
}

}  // namespace

void ViewParts::addCells(const std::vector<Vec3>& points, std::size_t cornersOfEach) {
    for (std::size_t i = 0; i + cornersOfEach <= points.size(); i += cornersOfEach)
        addCell(std::span(points).subspan(i, cornersOfEach));
}

// Adds the part that is in front of the eye.
void ViewParts::addCell(std::span<const Vec3> corners) {
    constexpr std::size_t kMaxCorners = 3;
    const double min = m_camera.minDepthMm();
    std::array<QPointF, 2 * kMaxCorners> seen;
    std::size_t count = 0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const Vec3 from = corners[i];
        const Vec3 to = corners[(i + 1) % corners.size()];
        const double fromDepth = m_camera.depthMm(from);
        const double toDepth = m_camera.depthMm(to);
        if (fromDepth >= min) seen[count++] = m_camera.viewPoint(from, m_view);
        if ((fromDepth >= min) == (toDepth >= min)) continue;
        const double share = (min - fromDepth) / (toDepth - fromDepth);
        seen[count++] = m_camera.viewPoint(from + share * (to - from), m_view);
    }
    if (count > 0) add(std::span(seen).first(count));
}

void ViewParts::add(std::span<const QPointF> convex) {
    m_corners.insert(m_corners.end(), convex.begin(), convex.end());
    m_ends.push_back(m_corners.size());
}

void ViewParts::addHull(std::span<const Vec3> points) {
    std::vector<QPointF> seen;
    for (const Vec3 point : points)
        seen.push_back(m_camera.viewPoint(point, m_view));
    add(hullOf(std::move(seen)));
}

bool ViewParts::touches(const QRectF& area) const {
    constexpr double kLine = 2;
    const QRectF room = area.adjusted(-kLine, -kLine, kLine, kLine);
    const std::array corners = {room.topLeft(), room.topRight(), room.bottomRight(),
                                room.bottomLeft()};
    std::size_t begin = 0;
    for (const std::size_t end : m_ends) {
        if (meet(std::span(m_corners).subspan(begin, end - begin), corners)) return true;
        begin = end;
    }
    return false;
}

}  // namespace gantry
