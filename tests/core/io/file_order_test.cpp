#include "core/io/series/file_order.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace gantry {
namespace {

using Names = std::vector<std::string>;

Names sorted(const Names& names) {
    std::vector<std::filesystem::path> files(names.rbegin(), names.rend());
    sortNaturally(files);
    Names result;
    for (const auto& file : files)
        result.push_back(file.string());
    return result;
}

TEST(FileOrder, DecimalsAreFractions) {
    const Names quarters = {"p_0.tif",    "p_0.25.tif", "p_0.5.tif", "p_0.75.tif", "p_1.tif",
                            "p_1.25.tif", "p_9.5.tif",  "p_10.tif",  "p_10.25.tif"};
    EXPECT_EQ(meaningOfPoints(quarters), PointMeaning::decimals);
    EXPECT_EQ(sorted(quarters), quarters);
    const Names ofPython = {"a_0.0deg.tif", "a_0.125deg.tif", "a_0.25deg.tif", "a_10.0deg.tif"};
    EXPECT_EQ(sorted(ofPython), ofPython);
    const Names behindACounter = {"s2_0.125_1.tif", "s2_0.5_1.tif", "s2_2_1.tif"};
    EXPECT_EQ(sorted(behindACounter), behindACounter);
}

TEST(FileOrder, VersionsAreCounters) {
    const Names versions = {"p_1.1.tif", "p_1.2.tif", "p_1.9.tif", "p_1.10.tif", "p_2.1.tif"};
    EXPECT_EQ(meaningOfPoints(versions), PointMeaning::counters);
    EXPECT_EQ(sorted(versions), versions);
    const Names ofThree = {"p_1.2.3.tif", "p_1.2.25.tif"};
    EXPECT_EQ(meaningOfPoints(ofThree), PointMeaning::none);
    EXPECT_EQ(sorted(ofThree), ofThree);
}

TEST(FileOrder, NamesOfDifferentPatternsAreNoSeriesOfDecimals) {
    const Names others = {"a_0.5.tif", "a_0.25.tif", "b_3.tif"};
    EXPECT_EQ(meaningOfPoints(others), PointMeaning::none);
    EXPECT_EQ(sorted(others), others);
}

TEST(FileOrder, EquallyLongFractionsLeaveNoQuestion) {
    Names names;
    for (int i = 0; i < 40; ++i)
        names.push_back(fmt::format("p_{:.2f}.tif", i * 4.25));
    EXPECT_EQ(meaningOfPoints(names), PointMeaning::none);
    EXPECT_EQ(sorted(names), names);
}

TEST(FileOrder, OneDigitBehindThePointThatSomeHave) {
    for (const double step : {0.1, 0.2, 0.5}) {
        Names names;
        for (int i = 0; i < 120; ++i)
            names.push_back(fmt::format("p_{:g}.tif", i * step));
        EXPECT_EQ(sorted(names), names);
    }
}

TEST(FileOrder, AMinusThatSomeHaveIsASign) {
    Names names;
    for (int angle = -90; angle < 90; angle += 7)
        names.push_back(fmt::format("p_{}.tif", angle));
    EXPECT_TRUE(haveSigns(names));
    EXPECT_EQ(sorted(names), names);
    const Names plus = {"p_-90.tif", "p_-1.5.tif", "p_+0.tif", "p_+0.5.tif", "p_+88.5.tif"};
    EXPECT_EQ(sorted(plus), plus);
    const Names halves = {"a-1.5deg.tif", "a-1.25deg.tif", "a-0.5deg.tif",
                          "a0.25deg.tif", "a0.5deg.tif",   "a1deg.tif"};
    EXPECT_EQ(sorted(halves), halves);
    const Names padded = {"-090.tif", "-010.tif", "-002.tif", "000.tif", "003.tif", "011.tif"};
    EXPECT_EQ(sorted(padded), padded);
}

TEST(FileOrder, AMinusThatAllHaveIsAMark) {
    const Names scans = {"scan-001.tif", "scan-002.tif", "scan-010.tif"};
    EXPECT_FALSE(haveSigns(scans));
    EXPECT_EQ(sorted(scans), scans);
    const Names days = {"2024-05-01_2.tif", "2024-05-01_11.tif", "2024-05-12_3.tif"};
    EXPECT_FALSE(haveSigns(days));
    EXPECT_EQ(sorted(days), days);
}

TEST(FileOrder, NamesWithoutANumberAreNoSeries) {
    const Names names = {"detector.h5", "offset1000.h5", "scan2.h5"};
    EXPECT_EQ(sorted(names), names);
    EXPECT_FALSE(haveSigns({"p.tif", "p-2.tif", "p3.tif"}));
}

TEST(FileOrder, TwoSensibleOrdersAreAmbiguous) {
    // As counters they are 5, 15, 25, 35; as decimals 0.15, 0.25, 0.35, 0.5.
    const Names names = {"p_0.5.tif", "p_0.15.tif", "p_0.25.tif", "p_0.35.tif",
                         "p_1.5.tif", "p_1.15.tif", "p_1.25.tif", "p_1.35.tif"};
    EXPECT_EQ(meaningOfPoints(names), PointMeaning::ambiguous);
    EXPECT_EQ(sorted(names), names);
}

}  // namespace
}  // namespace gantry
