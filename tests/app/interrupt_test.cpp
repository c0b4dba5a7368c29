#include "app/cli/interrupt.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "core/base/error.h"
#include "core/base/trial_process.h"

namespace gantry {
namespace {

// Commands open files in many places; none of them has to hand the request on.
TEST(Interrupt, EndsTheTrialOfAFile) {
    Interrupt interrupt;
    const std::stop_token asked = interrupt.token();
    const std::jthread later([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        ::kill(::getpid(), SIGINT);
    });
    const auto wait = [](const TrialSend& /*send*/) {
        std::this_thread::sleep_for(std::chrono::seconds(30));
    };
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_THROW((void)askAnotherProcess(wait, {}), Cancelled);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    EXPECT_TRUE(asked.stop_requested());
}

}  // namespace
}  // namespace gantry
