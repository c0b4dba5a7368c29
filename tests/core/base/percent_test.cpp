#include "core/base/percent.h"

#include <gtest/gtest.h>

#include <limits>

namespace gantry {
namespace {

TEST(Percent, HasTwoDigitsAndNoExponent) {
    EXPECT_EQ(formatPercent(0), "0 %");
    EXPECT_EQ(formatPercent(1e-7), "below 0.01 %");
    EXPECT_EQ(formatPercent(0.0047), "0.47 %");
    EXPECT_EQ(formatPercent(0.474), "47 %");
    EXPECT_EQ(formatPercent(0.9949), "99 %");
    EXPECT_EQ(formatPercent(0.9951), "100 %");
    EXPECT_EQ(formatPercent(1.904), "190 %");
    EXPECT_EQ(formatPercent(-1.904), "-190 %");
    EXPECT_EQ(formatPercent(std::numeric_limits<double>::quiet_NaN()), "–");
}

}  // namespace
}  // namespace gantry
