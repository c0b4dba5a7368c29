#include "core/base/run_process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"

namespace gantry {
namespace {

std::string shell(const std::string& script) {
    return runProcess({.words = {"sh", "-c", script}}).output;
}

// Not so of one whose end nobody has taken yet.
bool isAlive(const std::string& pid) {
    std::string stat;
    std::getline(std::ifstream("/proc/" + pid + "/stat"), stat);
    const std::size_t state = stat.rfind(") ");
    return state != std::string::npos && stat[state + 2] != 'Z';
}

TEST(RunProcess, WordsReachTheProgramAsTheyAre) {
    const std::vector<std::string> odd = {"two words", "it's", "\"$(id)\"", "a\nb\n",
                                          "-n",        "",     "*",         "\\0101 %s ü"};
    for (const std::string& word : odd) {
        const ProcessEnd end = runProcess({.words = {"printf", "%s", word}});
        EXPECT_EQ(end.code, 0);
        EXPECT_EQ(end.output, word);
    }
}

TEST(RunProcess, TellsHowTheProgramEnded) {
    EXPECT_EQ(runProcess({.words = {"sh", "-c", "exit 7"}}).code, 7);
    const ProcessEnd killed = runProcess({.words = {"sh", "-c", "kill -9 $$"}});
    EXPECT_EQ(killed.code, -1);
    EXPECT_EQ(killed.signal, SIGKILL);
    EXPECT_EQ(runProcess({.words = {"sh", "-c", "echo no >&2"}}).complaints, "no\n");
    EXPECT_EQ(shell("cat"), "");  // nothing to read
    try {
        (void)runProcess({.words = {"no such program"}});
        FAIL();
    } catch (const ResourceError& error) {
        EXPECT_NE(error.message().find("no such program cannot be started"), std::string::npos);
    }
    EXPECT_THROW((void)runProcess({.words = {"echo", std::string("a\0b", 3)}}), InputError);
}

TEST(RunProcess, SetsVariablesBesideThoseOfThisProcess) {
    const ProcessEnd end = runProcess({.words = {"sh", "-c", "printf %s \"$WORD|$PATH\""},
                                       .environment = {{"WORD", "it's $(x)"}}});
    EXPECT_TRUE(end.output.starts_with("it's $(x)|/"));
}

// Both ways at once, more than any pipe holds.
TEST(RunProcess, GivesAndTakesALot) {
    constexpr std::size_t kBytes = 30'000'001;
    std::size_t given = 0;
    std::size_t taken = 0;
    bool isRight = true;
    const ProcessEnd end =
        runProcess({.words = {"cat"},
                    .input =
                        [&](std::span<std::byte> bytes) {
                            const std::size_t count = std::min(bytes.size(), kBytes - given);
                            for (std::size_t i = 0; i < count; ++i)
                                bytes[i] = static_cast<std::byte>((given + i) % 251);
                            given += count;
                            return count;
                        },
                    .output =
                        [&](std::span<const std::byte> bytes) {
                            for (const std::byte byte : bytes)
                                isRight = isRight && byte == static_cast<std::byte>(taken++ % 251);
                        }});
    EXPECT_EQ(end.code, 0);
    EXPECT_EQ(taken, kBytes);
    EXPECT_TRUE(isRight);
}

TEST(RunProcess, AProgramThatReadsNothingEndsItself) {
    const ProcessEnd end = runProcess(
        {.words = {"true"}, .input = [](std::span<std::byte> all) { return all.size(); }});
    EXPECT_EQ(end.code, 0);
}

TEST(RunProcess, WhatAProgramPrintsIsBounded) {
    const ProcessEnd end = runProcess({.words = {"yes"}, .maxOutputBytes = 100'001});
    EXPECT_TRUE(end.isCutShort);
    EXPECT_EQ(end.output.size(), 100'001U);
    const ProcessEnd loud = runProcess({.words = {"sh", "-c", "yes | head -c 1000000 >&2"}});
    EXPECT_LE(loud.complaints.size(), 65'536U);
}

TEST(RunProcess, ASilentProgramIsEnded) {
    const std::int64_t begin = nowNs();
    const ProcessEnd end = runProcess({.words = {"sleep", "100"}, .quietSeconds = 0.2});
    EXPECT_TRUE(end.wasQuiet);
    EXPECT_LT(secondsSince(begin), 20);
}

// The shell's own child would go on for long, and holds the output open.
TEST(RunProcess, NoneOfItsProcessesIsLeft) {
    const std::string number = shell("sleep 1000 & printf %s $!");
    for (int i = 0; i < 500 && isAlive(number); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_FALSE(isAlive(number));
}

TEST(RunProcess, LeavesTheGroupWhereThatServesOthers) {
    const ProcessEnd end = runProcess(
        {.words = {"sh", "-c", "sleep 1000 >/dev/null & printf %s $!"}, .leavesGroup = true});
    EXPECT_TRUE(isAlive(end.output));
    ::kill(std::stoi(end.output), SIGKILL);
}

TEST(RunProcess, StopsWhenAsked) {
    std::stop_source source;
    std::jthread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        source.request_stop();
    });
    // It does not end when it is asked to.
    EXPECT_THROW(
        (void)runProcess({.words = {"sh", "-c", "trap '' TERM; sleep 100"}}, source.get_token()),
        Cancelled);
}

TEST(RunProcess, StopsThoughTheProgramNeverStopsPrinting) {
    std::stop_source source;
    int pieces = 0;
    const auto count = [&](std::span<const std::byte>) {
        ++pieces;
        source.request_stop();
    };
    EXPECT_THROW(
        (void)runProcess({.words = {"cat", "/dev/zero"}, .output = count}, source.get_token()),
        Cancelled);
    EXPECT_EQ(pieces, 1);
}

}  // namespace
}  // namespace gantry
