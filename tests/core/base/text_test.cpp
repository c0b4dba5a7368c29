#include "core/base/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/expect_error.h"

namespace gantry {
namespace {

TEST(Text, bytesHaveThreeDigits) {
    EXPECT_EQ(formatBytes(0), "0 B");
    EXPECT_EQ(formatBytes(512), "512 B");
    EXPECT_EQ(formatBytes(999), "999 B");
    EXPECT_EQ(formatBytes(1000), "1.00 kB");
    EXPECT_EQ(formatBytes(4'200), "4.20 kB");
    EXPECT_EQ(formatBytes(9'994), "9.99 kB");
    EXPECT_EQ(formatBytes(9'996), "10.0 kB");
    EXPECT_EQ(formatBytes(99'960), "100 kB");
    EXPECT_EQ(formatBytes(400'000'000), "400 MB");
    EXPECT_EQ(formatBytes(999'600'000), "1.00 GB");
    EXPECT_EQ(formatBytes(1'500'000'000), "1.50 GB");
    EXPECT_EQ(formatBytes(std::numeric_limits<Index>::max()), "9223 PB");
    EXPECT_EQ(formatBytes(-2'500), "-2.50 kB");
}

TEST(Text, durationsAreRoundedIntoTheirUnit) {
    EXPECT_EQ(formatDuration(0), "0.00 s");
    EXPECT_EQ(formatDuration(0.42), "0.42 s");
    EXPECT_EQ(formatDuration(9.996), "10.0 s");
    EXPECT_EQ(formatDuration(12.4), "12.4 s");
    EXPECT_EQ(formatDuration(99.96), "1 min 40 s");
    EXPECT_EQ(formatDuration(200), "3 min 20 s");
    EXPECT_EQ(formatDuration(3599.6), "1 h 00 min");
    EXPECT_EQ(formatDuration(7'500), "2 h 05 min");
    EXPECT_EQ(formatDuration(std::numeric_limits<double>::infinity()), "unknown");
    EXPECT_EQ(formatDuration(std::numeric_limits<double>::quiet_NaN()), "unknown");
}

TEST(Text, sizesAreReadAsPeopleWriteThem) {
    EXPECT_EQ(parseBytes("1", "--memory"), 1);
    EXPECT_EQ(parseBytes("64k", "--memory"), 64'000);
    EXPECT_EQ(parseBytes("400M", "--memory"), 400'000'000);
    EXPECT_EQ(parseBytes("4G", "--memory"), 4'000'000'000);
    EXPECT_EQ(parseBytes("4 GB", "--memory"), 4'000'000'000);
    EXPECT_EQ(parseBytes("1.5g", "--memory"), 1'500'000'000);
    EXPECT_EQ(parseBytes("512MiB", "--memory"), 536'870'912);
    EXPECT_EQ(parseBytes("2TiB", "--memory"), Index{2} << 40);
    EXPECT_EQ(parseBytes("100 B", "--memory"), 100);
}

TEST(Text, aSizeEndsWhereItsTextDoes) {
    const std::string_view line = "1024M";
    EXPECT_EQ(parseBytes(line.substr(0, 2), "--memory"), 10);
    EXPECT_EQ(parseBytes(line.substr(0, 4), "--memory"), 1024);
}

TEST(Text, whatIsNoSizeIsRefused) {
    for (const char* text : {"", " ", "M", "4X", "4GiBs", "4gi", "-4G", "0", "0.2", "nan", "inf",
                             "1e999", "9e18k", "4G4", "0x10", "four"})
        EXPECT_ERROR((void)parseBytes(text, "--memory"), InputError, "--memory is '");
}

TEST(NaturalOrder, digitsCompareByValue) {
    std::vector<std::string> names = {"view10.tif", "view2.tif",   "view1.tif",  "view010.tif",
                                      "a",          "view2a.tif",  "view.tif",   "",
                                      "view02.tif", "view2-9.tif", "view100.tif"};
    std::sort(names.begin(), names.end(), naturalLess);
    const std::vector<std::string> wanted = {
        "",          "a",          "view.tif",    "view1.tif",  "view2-9.tif", "view02.tif",
        "view2.tif", "view2a.tif", "view010.tif", "view10.tif", "view100.tif"};
    EXPECT_EQ(names, wanted);
}

TEST(NaturalOrder, numbersMayBeLongerThanAnyInteger) {
    const std::string nines(40, '9');
    EXPECT_TRUE(naturalLess(nines, std::string("1").append(40, '0')));
    EXPECT_FALSE(naturalLess(std::string("1").append(40, '0'), nines));
    EXPECT_TRUE(naturalLess(std::string(50, '0').append("5"), "6"));
}

// The three axioms of a strict weak ordering, without which std::sort may crash, on short names of
// an alphabet where ties, prefixes, leading zeros and non-ASCII bytes abound.
TEST(NaturalOrder, isAStrictTotalOrder) {
    std::mt19937 random(4711);
    const std::string alphabet = "001199a./\xC3";
    std::uniform_int_distribution<std::size_t> letter(0, alphabet.size() - 1);
    std::uniform_int_distribution<int> length(0, 5);
    std::vector<std::string> names;
    for (int i = 0; i < 70; ++i) {
        std::string name;
        for (int n = length(random); n > 0; --n)
            name += alphabet[letter(random)];
        names.push_back(name);
    }
    for (const auto& a : names)
        for (const auto& b : names) {
            ASSERT_EQ(naturalLess(a, b) || naturalLess(b, a), a != b) << a << " and " << b;
            ASSERT_FALSE(naturalLess(a, b) && naturalLess(b, a)) << a << " and " << b;
            for (const auto& c : names)
                ASSERT_TRUE(naturalLess(a, c) || !naturalLess(a, b) || !naturalLess(b, c))
                    << a << " < " << b << " < " << c;
        }
}

TEST(InLowerCase, LeavesAllButLetters) {
    EXPECT_EQ(inLowerCase(".TIFF_1Ä"), ".tiff_1Ä");
}

TEST(Listed, PutsAWordBeforeTheLastOne) {
    EXPECT_EQ(listed({}, "or"), "");
    EXPECT_EQ(listed({"a"}, "or"), "a");
    EXPECT_EQ(listed({"a", "b"}, "and"), "a and b");
    EXPECT_EQ(listed({"a", "b", "c"}, "or"), "a, b or c");
}

TEST(Trimmed, LeavesWhatIsBetweenTheBlanks) {
    EXPECT_EQ(trimmed(" \tone two\r"), "one two");
    EXPECT_EQ(trimmed("one"), "one");
    EXPECT_EQ(trimmed(" \t "), "");
    EXPECT_EQ(trimmed(""), "");
}

}  // namespace
}  // namespace gantry
