#include "core/base/wait.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/base/clock.h"
#include "core/base/error.h"

namespace gantry {
namespace {

using namespace std::chrono_literals;

TEST(Wait, LastsForItsTime) {
    const std::int64_t beginNs = nowNs();
    waitFor(20ms, {});
    EXPECT_GE(secondsSince(beginNs), 0.02);
}

TEST(Wait, AStopEndsItWhenItComesAndBefore) {
    std::stop_source source;
    const std::jthread stopping([&] { source.request_stop(); });
    EXPECT_THROW(waitFor(1h, source.get_token()), Cancelled);
    EXPECT_THROW(waitFor(0ms, source.get_token()), Cancelled);
}

}  // namespace
}  // namespace gantry
