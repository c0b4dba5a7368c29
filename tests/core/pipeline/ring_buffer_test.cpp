#include "core/pipeline/ring_buffer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace gantry {
namespace {

TEST(RingBuffer, HandsItemsOnInOrderAndEndsWhenClosed) {
    RingBuffer<std::unique_ptr<int>> ring(2);
    const std::stop_token never;
    std::jthread producer([&] {
        for (int i = 0; i < 1000; ++i)
            ring.push(std::make_unique<int>(i), never);
        ring.close();
    });
    int expected = 0;
    while (auto item = ring.pop(never))
        EXPECT_EQ(**item, expected++);
    EXPECT_EQ(expected, 1000);
}

TEST(RingBuffer, NeverHoldsMoreThanItsCapacity) {
    RingBuffer<int> ring(3);
    const std::stop_token never;
    std::atomic<int> pushed{0};
    std::jthread producer([&] {
        for (int i = 0; i < 20; ++i) {
            ring.push(i, never);
            ++pushed;
        }
        ring.close();
    });
    int popped = 0;
    while (ring.pop(never)) {
        ++popped;
        // One more may be pushed than counted here, in the moment between the two.
        EXPECT_LE(pushed.load(), popped + 3);
    }
    EXPECT_EQ(popped, 20);
}

TEST(RingBuffer, AStopRequestWakesAProducerAndAConsumer) {
    RingBuffer<int> empty(1);
    RingBuffer<int> full(1);
    std::stop_source stop;
    full.push(1, stop.get_token());
    std::atomic<int> cancelled{0};
    {
        std::jthread consumer([&] {
            EXPECT_THROW((void)empty.pop(stop.get_token()), Cancelled);
            ++cancelled;
        });
        std::jthread producer([&] {
            EXPECT_THROW(full.push(2, stop.get_token()), Cancelled);
            ++cancelled;
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        EXPECT_EQ(cancelled.load(), 0);
        stop.request_stop();
    }
    EXPECT_EQ(cancelled.load(), 2);
}

}  // namespace
}  // namespace gantry
