#include "ui/widgets/image/region_handles.h"

#include <algorithm>
#include <cmath>

namespace gantry {

std::array<RegionHandle, 8> regionHandles() {
    return {{{-1, -1}, {0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}}};
}

QPointF handlePoint(const QRectF& rectangle, const RegionHandle& handle) {
    return rectangle.center() +
           QPointF(handle.dx * rectangle.width() / 2, handle.dy * rectangle.height() / 2);
}

RegionHandle handleAt(const QRectF& rectangle, QPointF at, double reach) {
    // An edge can be grasped along its whole length; corners take precedence.
    const auto side = [&](double low, double high, double x) {
        if (std::abs(x - high) <= reach && std::abs(x - high) <= std::abs(x - low)) return 1;
        return std::abs(x - low) <= reach ? -1 : 0;
    };
    const QRectF outer = rectangle.adjusted(-reach, -reach, reach, reach);
    if (!outer.contains(at)) return {};
    const RegionHandle handle{side(rectangle.left(), rectangle.right(), at.x()),
                              side(rectangle.top(), rectangle.bottom(), at.y())};
    return handle.isNone() ? RegionHandle{0, 0, true} : handle;
}

QRectF draggedRegion(const QRectF& rectangle, const RegionHandle& handle, QPointF distance,
                     double min) {
    if (handle.isInside) return rectangle.translated(distance);
    QRectF result = rectangle;
    if (handle.dx < 0)
        result.setLeft(std::min(rectangle.left() + distance.x(), rectangle.right() - min));
    if (handle.dx > 0)
        result.setRight(std::max(rectangle.right() + distance.x(), rectangle.left() + min));
    if (handle.dy < 0)
        result.setTop(std::min(rectangle.top() + distance.y(), rectangle.bottom() - min));
    if (handle.dy > 0)
        result.setBottom(std::max(rectangle.bottom() + distance.y(), rectangle.top() + min));
    return result;
}

Qt::CursorShape cursorOf(const RegionHandle& handle) {
    if (handle.isInside) return Qt::SizeAllCursor;
    if (handle.dx == 0) return handle.dy == 0 ? Qt::CrossCursor : Qt::SizeVerCursor;
    if (handle.dy == 0) return Qt::SizeHorCursor;
    return handle.dx == handle.dy ? Qt::SizeFDiagCursor : Qt::SizeBDiagCursor;
}

}  // namespace gantry
