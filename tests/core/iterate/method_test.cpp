#include "core/iterate/method.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "core/base/error.h"
#include "core/iterate/subsets.h"

namespace gantry {
namespace {

TEST(Subsets, EveryViewIsInOneSubset) {
    for (const Index views : {1, 7, 60, 61}) {
        for (const Index count : {Index{1}, std::min<Index>(5, views), views}) {
            const Subsets subsets(views, count);
            std::vector<Index> order = subsets.order();
            for (Index place = 0; place < views; ++place)
                EXPECT_EQ(subsets.placeOf(order[static_cast<std::size_t>(place)]), place);
            Index next = 0;
            for (Index m = 0; m < count; ++m) {
                const IndexRange range = subsets.range(m);
                EXPECT_EQ(range.begin, next);
                EXPECT_FALSE(range.empty());
                EXPECT_LE(range.size(), subsets.largest());
                for (Index place = range.begin; place < range.end; ++place)
                    EXPECT_EQ(order[static_cast<std::size_t>(place)] % count, m);
                next = range.end;
            }
            EXPECT_EQ(next, views);
            std::sort(order.begin(), order.end());
            std::vector<Index> all(static_cast<std::size_t>(views));
            std::iota(all.begin(), all.end(), 0);
            EXPECT_EQ(order, all);
        }
    }
}

TEST(Method, SubsetsHaveTheViewsAskedForAtLeast) {
    EXPECT_EQ(subsetCount({.kind = OsSart{.viewsPerSubset = 8}}, 60), 7);
    EXPECT_EQ(subsetCount({.kind = OsSart{.viewsPerSubset = 80}}, 60), 1);
    EXPECT_EQ(subsetCount({.kind = TotalVariation{.viewsPerSubset = 2}}, 61), 30);
    EXPECT_EQ(subsetCount({.kind = Sirt{}}, 60), 1);
    EXPECT_EQ(subsetCount({.kind = Cgls{}}, 60), 1);
}

std::string wrongField(const IterativeMethod& method) {
    try {
        requireValid(method);
    } catch (const FieldError& error) {
        return error.field();
    }
    return "";
}

TEST(Method, AWrongOptionIsNamed) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(wrongField({}), "");
    EXPECT_EQ(wrongField({.kind = Sirt{0}}), "relaxation");
    EXPECT_EQ(wrongField({.kind = Sirt{kNan}}), "relaxation");
    EXPECT_EQ(wrongField({.kind = OsSart{.relaxationFactor = 1.1}}), "relaxationFactor");
    EXPECT_EQ(wrongField({.kind = OsSart{.viewsPerSubset = 0}}), "viewsPerSubset");
    EXPECT_EQ(wrongField({.kind = TotalVariation{.strength = -1}}), "strength");
    EXPECT_EQ(wrongField({.kind = TotalVariation{.strength = 0}}), "");
    EXPECT_EQ(wrongField({.kind = TotalVariation{.flatteningSteps = 0}}), "flatteningSteps");
    EXPECT_EQ(wrongField({.kind = Cgls{-1}}), "keptGradients");
    EXPECT_EQ(wrongField({.kind = Cgls{}, .iterations = 0}), "iterations");
    EXPECT_EQ(wrongField({.bounds = {1, 1}}), "bounds");
    EXPECT_EQ(wrongField({.stop = {.change = -1}}), "change");
    EXPECT_EQ(wrongField({.stop = {.chiSquare = kNan}}), "chiSquare");
}

}  // namespace
}  // namespace gantry
