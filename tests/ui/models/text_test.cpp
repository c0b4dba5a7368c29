#include "ui/models/text.h"

#include <gtest/gtest.h>

namespace gantry {
namespace {

TEST(Text, LengthsAreInTheUnitThatOneWouldSay) {
    const auto said = [](double mm) { return lengthText(mm).toStdString(); };
    EXPECT_EQ(said(600), "600 mm");
    EXPECT_EQ(said(0.8), "0.8 mm");
    EXPECT_EQ(said(0), "0 mm");
    EXPECT_EQ(said(-1234.56), "-1235 mm");
    EXPECT_EQ(said(0.0485), "48.5 µm");
    EXPECT_EQ(said(-0.0005), "-0.5 µm");
    EXPECT_EQ(said(0.00002), "20 nm");
    EXPECT_EQ(said(145'000), "145 m");
    EXPECT_EQ(said(2.53e10), "25300 km");
}

TEST(Text, SeveralLengthsHaveOneUnit) {
    EXPECT_EQ(lengthsText({200, 200, 0.05}).toStdString(), "200 × 200 × 0.05 mm");
    EXPECT_EQ(lengthsText({0.02, 0.05}).toStdString(), "20 × 50 µm");
    EXPECT_EQ(lengthsText({}).toStdString(), " mm");
}

}  // namespace
}  // namespace gantry
