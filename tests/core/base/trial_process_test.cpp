#include "core/base/trial_process.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/expect_error.h"

namespace gantry {
namespace {

TEST(TrialProcess, ToldApartAreEndsFaultsAndWhatTakesTooLong) {
    int seen = 0;
    EXPECT_EQ(tryInAnotherProcess([&] { seen = 1; }), TrialEnd::returned);
    EXPECT_EQ(seen, 0) << "what was tried is seen here";
    EXPECT_EQ(tryInAnotherProcess([] { throw std::runtime_error("no"); }), TrialEnd::returned);
    EXPECT_EQ(tryInAnotherProcess([] { std::raise(SIGSEGV); }), TrialEnd::crashed);
    EXPECT_EQ(tryInAnotherProcess(
                  [] {
                      while (true)
                          std::this_thread::sleep_for(std::chrono::milliseconds(1));
                  },
                  {.seconds = 1}),
              TrialEnd::tookTooLong);
}

TEST(TrialProcess, AnErrorOfTheUsersIsThrownHereAndMissingMemoryIsACrash) {
    const auto refuse = [] {
        throw InputError("/scans/a.mat is cut off.", {.code = ErrorCode::damagedFile});
    };
    EXPECT_ERROR((void)tryInAnotherProcess(refuse), InputError, "/scans/a.mat is cut off.");
    try {
        (void)tryInAnotherProcess(refuse);
    } catch (const InputError& error) {
        EXPECT_EQ(error.code(), ErrorCode::damagedFile);
    }
    EXPECT_EQ(tryInAnotherProcess([] { throw std::bad_alloc(); }), TrialEnd::crashed);
    EXPECT_ERROR((void)tryInAnotherProcess([] { throw InputError(std::string(9000, 'a')); }),
                 InputError, std::string(3999, 'a'));
}

TEST(TrialProcess, WhatItSendsArrivesWholeWhateverItsEnd) {
    const std::string piece(1 << 20, 'p');
    const TrialAnswer whole = askAnotherProcess(
        [&](const TrialSend& send) {
            send(piece);
            send("end");
        },
        {});
    EXPECT_EQ(whole.end, TrialEnd::returned);
    EXPECT_EQ(whole.sent, piece + "end");
    const TrialAnswer crashed = askAnotherProcess(
        [](const TrialSend& send) {
            send("first");
            std::raise(SIGSEGV);
        },
        {});
    EXPECT_EQ(crashed.end, TrialEnd::crashed);
    EXPECT_EQ(crashed.sent, "first");
}

TEST(TrialProcess, WorkIsLimitedInProcessorTime) {
    const auto busy = [](const TrialSend&) {
        for (std::atomic<std::uint64_t> i = 0;; ++i) {
        }
    };
    EXPECT_EQ(askAnotherProcess(busy, {.seconds = 60, .cpuSeconds = 1}).end, TrialEnd::tookTooLong);
}

TEST(TrialProcess, SeveralThatLeadToNothingShareABudget) {
    const auto busy = [](const TrialSend&) {
        for (std::atomic<std::uint64_t> i = 0;; ++i) {
        }
    };
    constexpr TrialLimits kLimits = {.seconds = 60, .cpuSeconds = 1};
    const auto good = [](const TrialSend& send) { send("good"); };
    {
        const TrialBudget outer(2);
        const TrialBudget inner;
        const auto begin = std::chrono::steady_clock::now();
        int tried = 0;
        while (askAnotherProcess(busy, kLimits).end == TrialEnd::tookTooLong)
            ++tried;
        EXPECT_GE(tried, 1);
        EXPECT_LE(tried, 2);
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
        EXPECT_EQ(askAnotherProcess(good, kLimits).end, TrialEnd::notTried);
    }
    const TrialBudget next;
    for (int i = 0; i < 20; ++i)
        EXPECT_EQ(askAnotherProcess(good, kLimits).sent, "good");
}

TEST(TrialProcess, AStopEndsItAtOnce) {
    std::stop_source stop;
    const TrialStop scope(stop.get_token());
    std::jthread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        stop.request_stop();
    });
    const auto begin = std::chrono::steady_clock::now();
    const auto sleep = [] { std::this_thread::sleep_for(std::chrono::seconds(30)); };
    EXPECT_THROW((void)tryInAnotherProcess(sleep), Cancelled);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

}  // namespace
}  // namespace gantry
