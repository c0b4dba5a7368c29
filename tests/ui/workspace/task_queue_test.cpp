#include "ui/workspace/background/task_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <string>

namespace gantry {
namespace {

using std::chrono::milliseconds;

void waitForStop(const std::stop_token& stop) {
    while (!stop.stop_requested())
        std::this_thread::sleep_for(milliseconds(1));
}

TEST(TaskQueue, TasksAreDoneInTurn) {
    TaskQueue queue;
    std::string done;  // of the queue's thread until the last task has set the promise
    std::promise<void> end;
    for (const char* letter : {"a", "b", "c"})
        queue.add(letter, [&, letter](const std::stop_token&) { done += letter; });
    queue.add("end", [&](const std::stop_token&) { end.set_value(); });
    end.get_future().wait();
    EXPECT_EQ(done, "abc");
}

TEST(TaskQueue, ATaskIsCancelledByItsKeyAlone) {
    TaskQueue queue;
    std::promise<void> begun;
    std::promise<std::pair<bool, bool>> seen;
    queue.add("long", [&](const std::stop_token& stop) {
        begun.set_value();
        waitForStop(stop);
    });
    std::atomic<bool> wasAsked = false;
    queue.add("waiting", [&](const std::stop_token& stop) { wasAsked = stop.stop_requested(); });
    queue.add("other", [&](const std::stop_token& stop) {
        seen.set_value({wasAsked, stop.stop_requested()});
    });
    begun.get_future().wait();
    queue.cancel("waiting");
    queue.cancel("long");
    EXPECT_EQ(seen.get_future().get(), std::pair(true, false));
}

TEST(TaskQueue, ItsEndStopsTheTaskUnderWayAndBeginsNoOther) {
    std::atomic<int> begun = 0;
    {
        TaskQueue queue;
        std::promise<void> isBegun;
        queue.add("long", [&](const std::stop_token& stop) {
            ++begun;
            isBegun.set_value();
            waitForStop(stop);
        });
        queue.add("next", [&](const std::stop_token&) { ++begun; });
        isBegun.get_future().wait();
    }
    EXPECT_EQ(begun, 1);
}

TEST(TaskQueue, ItCanBeFinishedWithAllDoneInHaste) {
    TaskQueue queue;
    std::string done;
    for (const char* letter : {"a", "b", "c"})
        queue.add(letter, [&, letter](const std::stop_token& stop) {
            waitForStop(stop);
            done += letter;
        });
    queue.finish();
    EXPECT_EQ(done, "abc");
    queue.finish();  // nothing is left
}

}  // namespace
}  // namespace gantry
