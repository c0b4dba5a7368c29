#include "app/cli/field_options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/session.h"
#include "core/base/error.h"
#include "core/base/json_fields.h"
#include "core/job/job_fields.h"
#include "tests/support/expect_error.h"
#include "tests/support/manual_table.h"

namespace gantry {
namespace {

// What a job might be asked for one day.
struct Wishes {
    double sharpness = 0.5;
    Index limitBytes = 0;
    bool keepsViews = true;
    std::vector<int> cards;
    std::vector<std::string> tags;
    int colour = 0;
    double low = 0;
    double high = 0;
    std::string pen;
    std::string brush = "any";
};

constexpr FieldWord kColours[] = {{"grey", "Grey"}, {"warm", "Warm"}};

using W = Wishes;
using enum FieldPresence;
const std::vector<FileField<Wishes>> kTable = {
    {{"look", "sharpness", defaulted, "", "how much of what is fine stays; 0: none"},
     [](W& w) -> double& { return w.sharpness; },
     {.flag = "--sharpness", .form = "F", .group = "look"}},
    {{"look", "limitBytes", defaulted, "bytes", "memory limit", 0, Index{1} << 40},
     [](W& w) -> Index& { return w.limitBytes; },
     {.flag = "--limit", .form = "SIZE", .group = "look"}},
    {{"look", "keepsViews", defaulted, "", "whether views are kept"},
     [](W& w) -> bool& { return w.keepsViews; },
     {.flag = "--no-views", .group = "look"}},
    {{"look", "cards", defaulted, "", "cards to use", 0, 7},
     [](W& w) -> std::vector<int>& { return w.cards; },
     {.flag = "--cards", .form = "0,1", .group = "look"}},
    {{"look", "tags", defaulted, "", "words for it"},
     [](W& w) -> std::vector<std::string>& { return w.tags; },
     {.flag = "--tag", .form = "WORD", .group = "look"}},
    {{"look", "colour", defaulted, "", "in which colours"},
     FieldChoice<W>{kColours, [](const W& w) { return static_cast<std::size_t>(w.colour); },
                    [](W& w, std::size_t word) { w.colour = static_cast<int>(word); }},
     {.flag = "--colour", .group = "look"}},
    {{"look", "low", defaulted, "", "the lower end"},
     [](W& w) -> double& { return w.low; },
     {.flag = "--ends", .form = "LOW", .group = "look"}},
    {{"look", "high", defaulted, "", "the upper end"},
     [](W& w) -> double& { return w.high; },
     {.flag = "--ends", .form = "HIGH", .group = "look"}},
    {{"look", "pen", defaulted, "", "the pen"},
     [](W& w) -> std::string& { return w.pen; },
     {.flag = "--with", .form = "NAME", .group = "look"}},
    {{"look", "brush", defaulted, "", "the brush"},
     [](W& w) -> std::string& { return w.brush; },
     {.flag = "--with", .form = "NAME", .group = "look"}},
};
const std::span<const FileField<Wishes>> kRows = kTable;

// What the program's command `look` makes of these words, and what it prints.
template <class Owner>
struct Called {
    Owner wishes;
    std::string shown;
};
template <class Owner>
Called<Owner> call(std::span<const FileField<Owner>> table, std::vector<std::string> words,
                   std::string_view group) {
    Called<Owner> called;
    Interrupt interrupt;
    Session session(interrupt, words);
    words.insert(words.begin(), "look");
    testing::internal::CaptureStdout();
    const auto addCommands = [&](Command program) {
        Command look = program.command("look", "Look at it");
        addFieldOptions(look, table, called.wishes, {group}, [](std::string_view path) {
            if (path == "look.pen") return std::vector<std::string>{"ink", "chalk"};
            if (path == "look.brush") return std::vector<std::string>{"any", "broad"};
            return std::vector<std::string>();
        });
        look.action([](Session&) { return 0; });
    };
    try {
        (void)runCommandLine(words, session, "1", addCommands);
    } catch (...) {
        (void)testing::internal::GetCapturedStdout();
        throw;
    }
    called.shown = testing::internal::GetCapturedStdout();
    return called;
}

Called<Wishes> call(std::vector<std::string> words) {
    return call(kRows, std::move(words), "look");
}

TEST(FieldOptions, OfOneFlagAreOneRowOfTheManual) {
    EXPECT_NE(optionTable(kRows).find("| `--ends LOW,HIGH` | the lower end; the upper end | "
                                      "`look.low`, `look.high` |"),
              std::string::npos);
}

TEST(FieldOptions, AWordGoesToTheFieldThatMayBeIt) {
    EXPECT_EQ(call({}).wishes.pen, "");
    EXPECT_EQ(call({"--with", "chalk"}).wishes.pen, "chalk");
    EXPECT_EQ(call({"--with", "chalk"}).wishes.brush, "any");
    const Wishes last = call({"--with", "chalk", "--with", "broad"}).wishes;
    EXPECT_EQ(last.pen, "");
    EXPECT_EQ(last.brush, "broad");
    EXPECT_ERROR((void)call({"--with", "soot"}), InputError,
                 "--with is 'soot'; it must be one of ink, chalk, any, broad.");
    const std::string help = call({"--help"}).shown;
    EXPECT_NE(help.find("ink|chalk|any|broad"), std::string::npos) << help;
    EXPECT_NE(help.find("by default any"), std::string::npos) << help;
}

TEST(FieldOptions, SetTheFields) {
    const Wishes wishes =
        call({"--sharpness", "0.25", "--limit", "4G", "--no-views", "--cards", "0,3", "--colour",
              "warm", "--ends", "1.5,2", "--tag", "a, b", "--tag=-c"})
            .wishes;
    EXPECT_EQ(wishes.sharpness, 0.25);
    EXPECT_EQ(wishes.limitBytes, 4'000'000'000);
    EXPECT_FALSE(wishes.keepsViews);
    EXPECT_EQ(wishes.cards, (std::vector<int>{0, 3}));
    EXPECT_EQ(wishes.tags, (std::vector<std::string>{"a, b", "-c"}));
    EXPECT_EQ(wishes.colour, 1);
    EXPECT_EQ(wishes.low, 1.5);
    EXPECT_EQ(wishes.high, 2);
    EXPECT_EQ(call({}).wishes.sharpness, 0.5);
}

TEST(FieldOptions, NameWhatIsWrong) {
    EXPECT_ERROR((void)call({"--sharpness", "much"}), InputError, "--sharpness is 'much'");
    EXPECT_ERROR((void)call({"--limit", "lots"}), InputError, "--limit");
    EXPECT_ERROR((void)call({"--cards", "0,8"}), InputError, "--cards is 8; it must be 0 to 7.");
    EXPECT_ERROR((void)call({"--colour", "mauve"}), InputError,
                 "--colour is 'mauve'; it must be one of grey, warm.");
    EXPECT_ERROR((void)call({"--ends", "1"}), InputError,
                 "--ends is '1'; it must be 2 numbers with commas between.");
}

TEST(MethodWords, AskForWhatIsNotUsual) {
    JobSpec spec;
    EXPECT_TRUE(methodWords(spec).empty());
    spec.filter = {FilterWindow::hann, 0.75};
    spec.devices = {0, 2};
    spec.memoryBytes = 5000;
    spec.gpuKernel = "tile";
    EXPECT_EQ(methodWords(spec),
              (std::vector<std::string>{"--window", "hann", "--cutoff", "0.75", "--kernel", "tile",
                                        "--devices", "0,2", "--memory", "5000"}));
    spec.cpuKernel = "reference";
    const std::vector<std::string> words = methodWords(spec);
    EXPECT_EQ(std::count(words.begin(), words.end(), "--kernel"), 1);
}

}  // namespace
}  // namespace gantry
