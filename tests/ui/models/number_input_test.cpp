#include "ui/models/number_input.h"

#include <gtest/gtest.h>

#include <ostream>
#include <vector>

namespace gantry {
namespace {

struct Case {
    const char* text;
    const char* unit;
    double value;
    friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.text; }
};

class NumberInput : public testing::TestWithParam<Case> {};

TEST_P(NumberInput, IsReadAsMeant) {
    const Case& c = GetParam();
    const auto value = parseNumber(QString::fromUtf8(c.text), QString::fromUtf8(c.unit));
    ASSERT_TRUE(value.has_value());
    EXPECT_DOUBLE_EQ(*value, c.value);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, NumberInput,
    testing::Values(
        Case{"600", "mm", 600}, Case{" 600 mm ", "mm", 600}, Case{"60 cm", "mm", 600},
        Case{"0.6m", "mm", 600}, Case{"127 µm", "mm", 0.127}, Case{"127um", "mm", 0.127},
        Case{"0.1 in", "mm", 2.54}, Case{"1,5", "mm", 1.5}, Case{"1.5", "mm", 1.5},
        Case{"1,234.5", "mm", 1234.5}, Case{"1.234,5", "mm", 1234.5}, Case{"1 200", "mm", 1200},
        Case{"1,234,567", "", 1234567}, Case{"-3e-2", "°", -0.03}, Case{"−3", "°", -3},
        Case{"+.5", "°", 0.5}, Case{"90 deg", "°", 90}, Case{"5 px", "px", 5},
        Case{"0.2 /cm", "/mm", 0.02}, Case{"2 GB", "MB", 2000}, Case{"12 MM", "mm", 12},
        Case{"80 %", "%", 80}, Case{"0.125", "mm", 0.125}, Case{"0,125", "mm", 0.125},
        Case{".125", "mm", 0.125}, Case{"-0,250", "°", -0.25}, Case{"1,500.25", "mm", 1500.25},
        Case{"1.500,25", "mm", 1500.25}, Case{"1234.567", "mm", 1234.567}, Case{"1.0000", "mm", 1},
        Case{"1,00", "mm", 1}, Case{"12 500,125", "mm", 12500.125}, Case{"3.141 592", "", 3.141592},
        Case{"1'024", "", 1024}, Case{"1e3", "mm", 1000}, Case{"0.2 1/mm", "/mm", 0.2}));

using Readings = std::vector<double>;

TEST(NumberInput, AsksBackWhatMayBeThousandsOrDecimals) {
    EXPECT_EQ(numberInterpretations("1,000", "mm"), (Readings{1000, 1}));
    EXPECT_EQ(numberInterpretations("1.000", "mm"), (Readings{1000, 1}));
    EXPECT_EQ(numberInterpretations("-12.500 mm", "mm"), (Readings{-12500, -12.5}));
    EXPECT_EQ(numberInterpretations("1,250 cm", "mm"), (Readings{12500, 12.5}));
    EXPECT_EQ(numberInterpretations("1,250e2", "mm"), (Readings{125000, 125}));
    EXPECT_FALSE(parseNumber("1,000", "mm").has_value());
    EXPECT_TRUE(isBeginningOfNumber("1,000"));
}

TEST(NumberInput, AFieldThatTakesOnlyOneReadingIsNotInDoubt) {
    EXPECT_EQ(numberInterpretations("1,024", "", {.isWhole = true}), Readings{1024});
    EXPECT_EQ(numberInterpretations("2.000", "", {.isWhole = true}), Readings{2000});
    EXPECT_EQ(numberInterpretations("1,125", "°", {.min = -360, .max = 360}), Readings{1.125});
    EXPECT_EQ(numberInterpretations("1.125", "", {.min = 0.05, .max = 1}), Readings{1.125});
    EXPECT_EQ(numberInterpretations("5,000", "mm", {.min = 1, .max = 2000}), (Readings{5000, 5}));
    EXPECT_EQ(numberInterpretations("1,125", "mm", {.min = -1e6, .max = 0}),
              (Readings{1125, 1.125}));
}

TEST(NumberInput, RefusesWhatIsNoNumberOrOfAnotherUnit) {
    for (const char* text : {"",    " ",     "-",     "abc",     "6oo",     "12 kg",     "12 deg",
                             "nan", "inf",   "1e999", "1e",      "--3",     "3 4 mm mm", "0x10",
                             "mm",  "1,5,2", "1 20",  "12,34.5", "1.2,3.4", ",",         "1..5"})
        EXPECT_FALSE(parseNumber(text, "mm").has_value()) << text;
    EXPECT_FALSE(parseNumber("3 mm", "").has_value());
}

TEST(NumberInput, KnowsWhatMoreTypingMayMend) {
    for (const char* text : {"", "-", "+", ".", "6", "6.", "-0,", "1e", "1e-", "600"})
        EXPECT_TRUE(isBeginningOfNumber(text)) << text;
    for (const char* text : {"abc", "--", "6x", "e5", "1e5.2"})
        EXPECT_FALSE(isBeginningOfNumber(text)) << text;
}

}  // namespace
}  // namespace gantry
