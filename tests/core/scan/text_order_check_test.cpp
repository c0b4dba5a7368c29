#include "core/scan/inspect/text_order_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "tests/core/scan/turning_rows.h"

namespace gantry {
namespace {

std::vector<Index> countedViews(Index count) {
    std::vector<Index> views(static_cast<std::size_t>(count));
    std::iota(views.begin(), views.end(), Index{0});
    return views;
}

std::string toldOfOrder(const test::TurningRows& rows, const std::vector<Index>& order,
                        double arcDeg = 180) {
    ScanGeometry geometry;
    geometry.trajectory = ParallelBeam{{.arcDeg = arcDeg, .views = rows.views, .anglesDeg = {}}};
    const std::optional<Problem> found = checkTextOrder(geometry, rows.sinogram(order));
    return found ? found->message : "";
}

TEST(TextOrderCheck, NumbersThatWereSortedAsTextAreTold) {
    for (const Index first : {0, 1})
        for (const Index views : {24, 90, 137}) {
            const test::TurningRows rows{.views = views};
            std::vector<Index> order = countedViews(views);
            std::ranges::sort(order, {}, [&](Index i) { return std::to_string(first + i); });
            const std::string told = toldOfOrder(rows, order);
            const std::string expected = first == 0    ? "sort as text (0, 1, 10, 11 …): view 2 "
                                         : views > 100 ? "sort as text (1, 10, 100, 101 …): view 1 "
                                                       : "sort as text (1, 10, 11, 12 …): view 1 ";
            if (first == 0 && views > 100)
                EXPECT_NE(told.find("(0, 1, 10, 100 …): view 2 shows number 10"), std::string::npos)
                    << told;
            else
                EXPECT_NE(told.find(expected + "shows number 10"), std::string::npos) << told;
        }
}

// The sinogram has its views by ascending angles, and clockwise the first of them is the last.
TEST(TextOrderCheck, ThatOfAClockwiseScanIsTold) {
    const test::TurningRows rows{.views = 60};
    std::vector<Index> order = countedViews(60);
    std::ranges::sort(order, {}, [](Index i) { return std::to_string(59 - i); });
    std::ranges::reverse(order);
    EXPECT_NE(toldOfOrder(rows, order, -180).find("view 2 shows number 10"), std::string::npos);
}

TEST(TextOrderCheck, NothingIsToldOfOtherScans) {
    for (const double noise : {0.0, 0.002, 0.5}) {
        const test::TurningRows rows{.views = 90, .noise = noise};
        EXPECT_EQ(toldOfOrder(rows, countedViews(90)), "") << noise;
    }
    // Two of them exchanged, or a slip, are no order of texts.
    std::vector<Index> order = countedViews(90);
    std::swap(order[30], order[50]);
    EXPECT_EQ(toldOfOrder({.views = 90}, order), "");
    std::rotate(order.begin(), order.begin() + 40, order.end());
    EXPECT_EQ(toldOfOrder({.views = 90}, order), "");
}

}  // namespace
}  // namespace gantry
