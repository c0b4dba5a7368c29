#include "core/io/series/file_order.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "core/io/series/number_forms.h"

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

TEST(FileOrder, ExponentsArePartsOfNumbers) {
    Names printed;
    for (int i = 0; i < 40; ++i)
        printed.push_back(fmt::format("p_{:.2e}.tif", i * 4.5));
    EXPECT_EQ(sorted(printed), printed);
    const Names rounded = {"a1.42109e-14deg.tif", "a0.5deg.tif", "a1deg.tif", "a10.5deg.tif",
                           "a1E+02deg.tif"};
    EXPECT_EQ(sorted(rounded), rounded);
    const Names marks = {"s1e-02.tif", "s1e-05.tif", "s1e-10.tif"};
    EXPECT_EQ(sorted(marks), marks);
}

TEST(FileOrder, HexadecimalNumbersCount) {
    Names padded, plain, upper;
    for (int i = 0; i < 300; ++i) {
        padded.push_back(fmt::format("face_{:04x}.tif", i));
        plain.push_back(fmt::format("v{:x}-1.tif", i));
        if (i != 77) upper.push_back(fmt::format("{:03X}.tif", 3 * i));
    }
    for (const Names& names : {padded, plain, upper}) {
        EXPECT_EQ(sorted(names), names);
        EXPECT_EQ(doubtOfOrder(names), "");
    }
    // Parts of slices, and two series, are no hexadecimal numbers.
    const Names parts = {"9a.tif", "9b.tif", "9c.tif", "10a.tif", "10b.tif", "10c.tif"};
    EXPECT_EQ(sorted(parts), parts);
    Names series;
    for (const char letter : {'a', 'b'})
        for (int i = 1; i <= 90; ++i)
            series.push_back(fmt::format("{}{}.tif", letter, i));
    EXPECT_EQ(sorted(series), series);
    EXPECT_EQ(doubtOfOrder(series), "");
}

TEST(FileOrder, ChecksumsCountNothing) {
    const Names names = {"0f3a9c.tif", "31be07.tif", "77ad12.tif", "c0ffee.tif"};
    EXPECT_NE(doubtOfOrder(names).find("checksums"), std::string::npos);
}

TEST(FileOrder, WordsMayBeSigns) {
    Names letters, words, halves;
    for (int i = -30; i < 30; ++i) {
        letters.push_back(fmt::format("p_{}{:02}.tif", i < 0 ? 'm' : 'p', std::abs(3 * i)));
        words.push_back(fmt::format("{}{}deg.tif", i < 0 ? "neg" : "", std::abs(2 * i)));
        halves.push_back(
            fmt::format("a_{}{}p{}.tif", i < 0 ? "n" : "", std::abs(i) / 2, i % 2 == 0 ? 0 : 5));
    }
    for (const Names& names : {letters, words, halves}) {
        EXPECT_EQ(sorted(names), names);
        EXPECT_EQ(doubtOfOrder(names), "");
    }
    Names others;
    for (const char animal : {'m', 'p'})
        for (int i = 11; i < 30; ++i)
            others.push_back(fmt::format("{}{}.tif", animal, i));
    EXPECT_EQ(sorted(others), others);
    EXPECT_NE(doubtOfOrder(others).find("may be signs"), std::string::npos);
}

TEST(FileOrder, OtherMarksThanPointsMayBeginAFraction) {
    for (const char mark : {',', 'p'}) {
        const Names names = {fmt::format("a_0{}25.tif", mark),  fmt::format("a_0{}5.tif", mark),
                             fmt::format("a_0{}75.tif", mark),  "a_1.tif",
                             fmt::format("a_1{}125.tif", mark), "a_12.tif"};
        EXPECT_EQ(sorted(names), names);
    }
    Names counters;
    for (int i = 1; i < 13; ++i)
        counters.push_back(fmt::format("s3p{}.tif", i));
    EXPECT_EQ(sorted(counters), counters);
}

TEST(FileOrder, AnglesMayPassAFullTurn) {
    Names whole, decimals;
    for (int i = 0; i < 90; ++i) {
        whole.push_back(fmt::format("p_{:03}.tif", (270 + 2 * i) % 360));
        decimals.push_back(fmt::format("p_{:.1f}.tif", std::fmod(215.5 + 2.5 * i, 360)));
    }
    for (const Names& names : {whole, decimals}) {
        EXPECT_EQ(sorted(names), names);
        EXPECT_EQ(doubtOfOrder(names), "");
    }
    // A counter may have the same numbers.
    Names ones;
    for (int i = 0; i < 200; ++i)
        ones.push_back(fmt::format("p_{:03}.tif", (200 + i) % 360));
    EXPECT_EQ(sorted(ones), ones);
    EXPECT_NE(doubtOfOrder(ones).find("angles that pass 360"), std::string::npos);
    // Without the last step to 360, or with a short gap, they are counters.
    Names gap;
    for (int i = 0; i < 90; ++i)
        gap.push_back(fmt::format("p_{:03}.tif", i < 45 ? 2 * i : 180 + 2 * i));
    std::erase(gap, "p_358.tif");
    EXPECT_EQ(sorted(gap), gap);
}

TEST(FileOrder, TwoSensibleOrdersAreAmbiguous) {
    // Read as counters they are 5, 15, 25, 35; read as decimals 0.15, 0.25, 0.35, 0.5.
    const Names names = {"p_0.5.tif", "p_0.15.tif", "p_0.25.tif", "p_0.35.tif",
                         "p_1.5.tif", "p_1.15.tif", "p_1.25.tif", "p_1.35.tif"};
    EXPECT_EQ(meaningOfPoints(names), PointMeaning::ambiguous);
    EXPECT_EQ(sorted(names), names);
}

}  // namespace
}  // namespace gantry
