#include "ui/models/number_input.h"

#include <gtest/gtest.h>

#include <ostream>

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

INSTANTIATE_TEST_SUITE_P(Texts, NumberInput,
                         testing::Values(Case{"600", "mm", 600}, Case{" 600 mm ", "mm", 600},
                                         Case{"60 cm", "mm", 600}, Case{"0.6m", "mm", 600},
                                         Case{"127 µm", "mm", 0.127}, Case{"127um", "mm", 0.127},
                                         Case{"0.1 in", "mm", 2.54}, Case{"1,5", "mm", 1.5},
                                         Case{"1.5", "mm", 1.5}, Case{"1,234.5", "mm", 1234.5},
                                         Case{"1.234,5", "mm", 1234.5}, Case{"1 200", "mm", 1200},
                                         Case{"1,234,567", "", 1234567}, Case{"-3e-2", "°", -0.03},
                                         Case{"−3", "°", -3}, Case{"+.5", "°", 0.5},
                                         Case{"90 deg", "°", 90}, Case{"5 px", "px", 5},
                                         Case{"0.2 /cm", "/mm", 0.02}, Case{"2 GB", "MB", 2000},
                                         Case{"12 MM", "mm", 12}, Case{"80 %", "%", 80}));

TEST(NumberInput, RefusesWhatIsNoNumberOrOfAnotherUnit) {
    for (const char* text : {"", " ", "-", "abc", "6oo", "12 kg", "12 deg", "nan", "inf", "1e999",
                             "1e", "--3", "3 4 mm mm", "0x10", "mm"})
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
