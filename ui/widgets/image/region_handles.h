#pragma once

#include <QPointF>
#include <QRectF>
#include <array>

namespace gantry {

/// The part of a rectangle under the pointer: one of eight handles, or the inside, which moves it.
/// dx, dy: which edge it moves, −1 the left or upper one, +1 the right or lower one, 0 none.
struct RegionHandle {
    int dx = 0;
    int dy = 0;
    bool isInside = false;
    [[nodiscard]] bool isNone() const { return dx == 0 && dy == 0 && !isInside; }
    friend bool operator==(const RegionHandle&, const RegionHandle&) = default;
};

/// The eight handles of a rectangle, in the order of their points.
[[nodiscard]] std::array<RegionHandle, 8> regionHandles();
[[nodiscard]] QPointF handlePoint(const QRectF& rectangle, const RegionHandle& handle);

/// The handle within reach of a point; a rectangle too small for an inside has only handles.
/// Tests: tests/ui/widgets/region_handles_test.cpp
[[nodiscard]] RegionHandle handleAt(const QRectF& rectangle, QPointF at, double reach);

/// The rectangle after dragging a handle. No edge passes the opposite one: at least `least` stays
/// between.
[[nodiscard]] QRectF draggedRegion(const QRectF& rectangle, const RegionHandle& handle,
                                   QPointF distance, double min);

[[nodiscard]] Qt::CursorShape cursorOf(const RegionHandle& handle);

}  // namespace gantry
