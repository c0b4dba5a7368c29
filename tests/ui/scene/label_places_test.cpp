#include <gtest/gtest.h>

#include "ui/scene/legible_text.h"

namespace gantry {
namespace {

TEST(LabelPlaces, WordsAtOnePlaceAreSetBesideEachOther) {
    LabelPlaces places({0, 0, 200, 100});
    places.keepFree({90, 40, 20, 20});
    std::vector<QRectF> taken;
    for (int i = 0; i < 5; ++i) {
        const QRectF area = places.take({100, 50}, {30, 14});
        ASSERT_FALSE(area.isEmpty());
        EXPECT_TRUE(QRectF(0, 0, 200, 100).contains(area));
        EXPECT_FALSE(area.intersects(QRectF(90, 40, 20, 20)));
        for (const QRectF& other : taken)
            EXPECT_FALSE(area.intersects(other));
        taken.push_back(area);
    }
}

TEST(LabelPlaces, WhereAllIsTakenNothingIsSet) {
    LabelPlaces places({0, 0, 50, 20});
    places.keepFree({0, 0, 50, 20});
    EXPECT_TRUE(places.take({25, 10}, {10, 10}).isEmpty());
}

}  // namespace
}  // namespace gantry
