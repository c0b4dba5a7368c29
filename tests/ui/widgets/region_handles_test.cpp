#include "ui/widgets/image/region_handles.h"

#include <gtest/gtest.h>

namespace gantry {
namespace {

const QRectF kBox(100, 100, 200, 100);

TEST(RegionHandles, AreAtTheCornersAndEdgesAndTheInsideMoves) {
    for (const RegionHandle& handle : regionHandles())
        EXPECT_EQ(handleAt(kBox, handlePoint(kBox, handle) + QPointF(2, -2), 6), handle);
    EXPECT_TRUE(handleAt(kBox, {200, 150}, 6).isInside);
    EXPECT_TRUE(handleAt(kBox, {80, 150}, 6).isNone());
    // An edge is grasped anywhere along it.
    EXPECT_EQ(handleAt(kBox, {150, 98}, 6), (RegionHandle{0, -1}));
}

TEST(RegionHandles, OfATinyBoxCanStillEnlargeIt) {
    const QRectF tiny(100, 100, 2, 2);
    EXPECT_EQ(handleAt(tiny, {104, 104}, 6), (RegionHandle{1, 1}));
    EXPECT_EQ(handleAt(tiny, {98, 98}, 6), (RegionHandle{-1, -1}));
}

TEST(RegionHandles, DragTheirEdgeAndNeverPastTheOppositeOne) {
    EXPECT_EQ(draggedRegion(kBox, {-1, 0}, {-10, 50}, 1), QRectF(90, 100, 210, 100));
    EXPECT_EQ(draggedRegion(kBox, {1, 1}, {10, -20}, 1), QRectF(100, 100, 210, 80));
    EXPECT_EQ(draggedRegion(kBox, {-1, 0}, {1000, 0}, 1), QRectF(299, 100, 1, 100));
    EXPECT_EQ(draggedRegion(kBox, {0, 1}, {0, -1000}, 1), QRectF(100, 100, 200, 1));
    EXPECT_EQ(draggedRegion(kBox, {0, 0, true}, {5, 6}, 1), kBox.translated(5, 6));
}

TEST(RegionHandles, HaveTheCursorOfTheirDirection) {
    EXPECT_EQ(cursorOf({1, 0}), Qt::SizeHorCursor);
    EXPECT_EQ(cursorOf({0, -1}), Qt::SizeVerCursor);
    EXPECT_EQ(cursorOf({-1, -1}), Qt::SizeFDiagCursor);
    EXPECT_EQ(cursorOf({1, -1}), Qt::SizeBDiagCursor);
    EXPECT_EQ(cursorOf({0, 0, true}), Qt::SizeAllCursor);
}

}  // namespace
}  // namespace gantry
