#include "ui/models/axis_ticks.h"

#include <gtest/gtest.h>

#include <QStringList>
#include <cmath>
#include <limits>

namespace gantry {
namespace {

TEST(AxisTicks, AreRoundAndWithinTheEnds) {
    EXPECT_EQ(niceTicks(0, 10, 6), (std::vector<double>{0, 2, 4, 6, 8, 10}));
    EXPECT_EQ(niceTicks(0, 4095, 5), (std::vector<double>{0, 1000, 2000, 3000, 4000}));
    const auto small = niceTicks(-0.013, 0.021, 4);
    ASSERT_EQ(small.size(), 4U);
    EXPECT_DOUBLE_EQ(small.front(), -0.01);
    EXPECT_EQ(small[1], 0);
    EXPECT_DOUBLE_EQ(small.back(), 0.02);
}

TEST(AxisTicks, AreNeverMoreThanAskedFor) {
    for (int atMost = 1; atMost < 20; ++atMost) {
        for (const double high : {1e-9, 0.3, 7.77, 99.9, 12345.6, 1e30}) {
            const auto ticks = niceTicks(-high / 3, high, atMost);
            EXPECT_LE(ticks.size(), static_cast<std::size_t>(atMost)) << high;
            EXPECT_GE(ticks.size(), 1U) << high;
        }
    }
}

TEST(AxisTicks, SurviveWhatIsNoRange) {
    const double inf = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(niceTicks(nan, 1, 5).empty());
    EXPECT_TRUE(niceTicks(0, inf, 5).empty());
    EXPECT_TRUE(niceTicks(1, 0, 5).empty());
    EXPECT_TRUE(niceTicks(0, 1, 0).empty());
    EXPECT_EQ(niceTicks(3, 3, 5), std::vector<double>{3});
    EXPECT_EQ(niceTicks(1e9, 1e9 + 1e-7, 5).size(), 1U);
    const double max = std::numeric_limits<double>::max();
    EXPECT_EQ(niceTicks(-max, max, 5).size(), 1U);
    EXPECT_LE(niceTicks(0, 4e-324, 5).size(), 5U);
}

TEST(AxisTicks, AreWrittenWithTheDigitsThatTellThemApart) {
    const auto written = [](double low, double high) {
        QStringList texts;
        const auto ticks = niceTicks(low, high, 4);
        for (const double tick : ticks)
            texts.append(tickText(tick, ticks));
        return texts.join(' ').toStdString();
    };
    EXPECT_EQ(written(0, 0.03), "0.00 0.01 0.02 0.03");
    EXPECT_EQ(written(0, 65535), "0 20000 40000 60000");
    EXPECT_EQ(written(-2, 2.5), "-2 0 2");
    EXPECT_EQ(written(0, 3e7), "0 1×10⁷ 2×10⁷ 3×10⁷");
    EXPECT_EQ(written(9.9e6, 1.05e7), "1.00×10⁷ 1.02×10⁷ 1.04×10⁷");
    EXPECT_EQ(written(-2.53e10, 0), "-2×10¹⁰ -1×10¹⁰ 0");
    EXPECT_EQ(written(0, 2.5e-5), "0 1×10⁻⁵ 2×10⁻⁵");
}

TEST(AxisTicks, AScaleBarIsTheLongestRoundLengthThatFits) {
    EXPECT_DOUBLE_EQ(niceAtMost(1), 1);
    EXPECT_DOUBLE_EQ(niceAtMost(1.99), 1);
    EXPECT_DOUBLE_EQ(niceAtMost(4.99), 2);
    EXPECT_DOUBLE_EQ(niceAtMost(9.99), 5);
    for (int power = -9; power <= 9; ++power) {
        const double unit = std::pow(10.0, power);
        for (const double factor : {1.0, 2.0, 5.0})
            EXPECT_NEAR(niceAtMost(factor * unit) / (factor * unit), 1, 1e-9);
    }
}

}  // namespace
}  // namespace gantry
