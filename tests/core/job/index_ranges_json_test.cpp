#include "core/job/index_ranges_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gantry {
namespace {

TEST(IndexRangesJson, AreReadBackAsTheyWereWritten) {
    EXPECT_EQ(toJson(IndexRanges(3, 9)).dump(), "[3,9]");
    EXPECT_EQ(toJson(IndexRanges({3, 9}, {12, 20})).dump(), "[[3,9],[12,20]]");
    for (const IndexRanges& ranges : {IndexRanges(3, 9), IndexRanges({3, 9}, {12, 20})})
        EXPECT_EQ(parseIndexRanges(nlohmann::json::parse(toJson(ranges).dump())), ranges);
}

TEST(IndexRangesJson, WhatIsNoRangesIsNotRead) {
    for (const char* text : {"3", "[3]", "[3,9,12]", "[9,3]", "[3,3]", "[[3,9]]", "[[3,9],[9,12]]",
                             "[[3,9],[1,2]]", "[[3,9],12]", R"(["a",9])", "[3,9.5]", "{}", "null"})
        EXPECT_FALSE(parseIndexRanges(nlohmann::json::parse(text))) << text;
}

}  // namespace
}  // namespace gantry
