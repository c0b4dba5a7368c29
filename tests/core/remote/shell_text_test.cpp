#include "core/remote/host/shell_text.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/error.h"
#include "core/base/foreign_text.h"

namespace gantry {
namespace {

TEST(ShellText, APlaceIsQuotedButForItsBegin) {
    EXPECT_EQ(placeWord("/a b/$x"), "'/a b/$x'");
    EXPECT_EQ(placeWord("~/it's"), "\"$HOME\"'/it'\\''s'");
    EXPECT_EQ(placeWord("~"), "\"$HOME\"");
    EXPECT_EQ(placeWord("$SCRATCH/$(id)"), "\"${SCRATCH:?is not set}\"'/$(id)'");
    EXPECT_EQ(placeWord("$(id)/x"), "'$(id)/x'");
    EXPECT_EQ(placeWord("~root/x"), "'~root/x'");
    EXPECT_TRUE(isPlace("/x") && isPlace("~/x") && isPlace("$A_1/x") && isPlace("$A"));
    EXPECT_FALSE(isPlace("x") || isPlace("$1/x") || isPlace("$(id)/x") || isPlace("~root/x") ||
                 isPlace("") || isPlace("$/x") || isPlace("-n"));
}

TEST(ShellText, WordsOfAShellRunNothing) {
    for (const char* words :
         {"", "srun --mpi=pmix", "mpirun -x 'A=$(b) c;d'", R"(mpirun -x "A=$HOME b")", "a\\;b",
          "mpirun -machinefile $PBS_NODEFILE -n {ranks}", "a ${B}c"})
        EXPECT_TRUE(isShellWords(words)) << words;
    for (const char* text : {"a;b",    "a|b",      "a&",         "a>b", "a<b", "a `b`", "\"`b`\"",
                             "$(a)",   "\"$(a)\"", "${a:-$(b)}", "'a",  "\"a", "a\\",   "a\nb",
                             "'a\nb'", "a #b",     "$",          "~a",  "a*",  "(a)"})
        EXPECT_FALSE(isShellWords(text)) << text;
}

TEST(ShellText, OctalTextHasPlainSignsAlone) {
    EXPECT_EQ(octalText("a b\n'$\\"), "a\\0040b\\0012\\0047\\0044\\0134");
    EXPECT_EQ(octalText("ü"), "\\0303\\0274");
    EXPECT_THROW((void)octalText(std::string("a\0b", 3)), InputError);
    EXPECT_THROW((void)shellWord(std::string("a\0b", 3)), InputError);
}

TEST(ShellText, WhatAHostPrintsIsShownOnOneLine) {
    EXPECT_EQ(shownText(" a\n\n\033[31mb\t"), "a [31mb");
    EXPECT_EQ(shownText(std::string(1000, 'x'), 10), "xxxxxxxxxx…");
    EXPECT_EQ(shownText("üüü", 3), "ü…");
    EXPECT_EQ(shownText("caf\xE9 \xFF"), "caf\\xE9 \\xFF");
    EXPECT_TRUE(isUtf8(shownText(std::string(900, '\xC3'), 5)));
    EXPECT_EQ(shownText("a\xC2\x9B"
                        "31m"),
              "a?31m");
}

}  // namespace
}  // namespace gantry
