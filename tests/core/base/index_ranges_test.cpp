#include "core/base/index_ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace gantry {
namespace {

TEST(IndexRangesUnion, RangesThatOverlapOrTouchBecomeOne) {
    EXPECT_EQ(unionOf({{0, 5}, {3, 9}}), IndexRanges(0, 9));
    EXPECT_EQ(unionOf({{5, 9}, {0, 5}}), IndexRanges(0, 9));
    EXPECT_EQ(unionOf({{0, 20}, {3, 9}}), IndexRanges(0, 20));
    EXPECT_EQ(unionOf({{30, 40}, {0, 5}, {38, 44}, {4, 7}}), IndexRanges({0, 7}, {30, 44}));
}

TEST(IndexRangesUnion, EmptyOnesDoNotCount) {
    EXPECT_TRUE(unionOf({}).empty());
    EXPECT_TRUE(unionOf({{}, {7, 7}}).empty());
    EXPECT_EQ(unionOf({{7, 7}, {10, 12}, {}}), IndexRanges(10, 12));
}

TEST(IndexRangesUnion, OfMoreThanTwoTheNearestAreJoined) {
    EXPECT_EQ(unionOf({{0, 5}, {9, 12}, {30, 40}}), IndexRanges({0, 12}, {30, 40}));
    EXPECT_EQ(unionOf({{0, 5}, {19, 22}, {30, 40}, {41, 50}}), IndexRanges({0, 5}, {19, 50}));
}

TEST(IndexRangesUnion, HoldsEveryIndexAndOfTwoRangesNoOther) {
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        std::vector<IndexRange> ranges(1 + random() % 5);
        std::set<Index> all;
        for (IndexRange& range : ranges) {
            range.begin = static_cast<Index>(random() % 60);
            range.end = range.begin + static_cast<Index>(random() % 12);
            for (Index i = range.begin; i < range.end; ++i)
                all.insert(i);
        }
        const IndexRanges joined = unionOf(ranges);
        std::set<Index> held;
        for (const IndexRange& part : joined.parts())
            for (Index i = part.begin; i < part.end; ++i)
                held.insert(i);
        EXPECT_TRUE(std::includes(held.begin(), held.end(), all.begin(), all.end()));
        EXPECT_EQ(static_cast<Index>(held.size()), joined.size());
        EXPECT_TRUE(ranges.size() > 2 || held == all);
    }
}

}  // namespace
}  // namespace gantry
