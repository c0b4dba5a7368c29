#include "core/io/series/view_numbers.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace gantry {
namespace {

using Numbers = std::vector<Index>;

TEST(ViewNumbers, AreReadAsPeopleWriteThem) {
    EXPECT_EQ(parseViewNumbers("99,100", "o"), (Numbers{99, 100}));
    EXPECT_EQ(parseViewNumbers(" 200, 99-101 ,0,100", "o"), (Numbers{0, 99, 100, 101, 200}));
    EXPECT_EQ(viewNumbersText({0, 99, 100, 101, 200, 201}), "0,99-101,200,201");
    for (const char* text : {"", "a", "1,,2", "1-", "-1", "1.5", "3;4"})
        EXPECT_ERROR((void)parseViewNumbers(text, "--skip-views"), InputError, "--skip-views: '");
    EXPECT_ERROR((void)parseViewNumbers("9-7", "--skip-views"), InputError, "write 7-9");
}

TEST(ViewNumbers, SomethingMustRemainOfAScan) {
    EXPECT_EQ(leaveOutFault({0, 3}, 4), "");
    EXPECT_EQ(leaveOutFault({4}, 4), "names view 4; the views of this scan are 0 to 3");
    EXPECT_NE(leaveOutFault({0, 1, 2}, 3), "");
}

}  // namespace
}  // namespace gantry
