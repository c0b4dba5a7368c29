#include "core/base/parallel.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "core/base/error.h"

namespace gantry {
namespace {

// How often each of `count` indices was handed out, counted without atomics: only the hand-over
// that parallelFor promises makes these writes and the reads below safe.
std::vector<int> timesVisited(int threads, Index count, Index grain) {
    std::vector<int> visits(static_cast<std::size_t>(count), 0);
    parallelFor(threads, count, grain, [&](Index begin, Index end, int) {
        for (Index i = begin; i < end; ++i)
            ++visits[static_cast<std::size_t>(i)];
    });
    return visits;
}

class ParallelShapes : public testing::TestWithParam<std::tuple<int, Index, Index>> {};

TEST_P(ParallelShapes, visitsEveryIndexOnce) {
    const auto [threads, count, grain] = GetParam();
    const std::vector<int> visits = timesVisited(threads, count, grain);
    EXPECT_EQ(visits, std::vector<int>(static_cast<std::size_t>(count), 1));
}

INSTANTIATE_TEST_SUITE_P(OddOnes, ParallelShapes,
                         testing::Combine(testing::Values(1, 2, 3, 7),
                                          testing::Values<Index>(0, 1, 2, 97, 1000),
                                          testing::Values<Index>(1, 3, 64, 5000)));

TEST(Parallel, handsOutPiecesOfTheGrainToWorkersInRange) {
    constexpr int kThreads = 5;
    std::atomic<int> pieces{0};
    std::atomic<int> wrong{0};
    parallelFor(kThreads, 103, 10, [&](Index begin, Index end, int worker) {
        ++pieces;
        const bool fits = begin % 10 == 0 && end == std::min<Index>(begin + 10, 103);
        if (!fits || worker < 0 || worker >= kThreads) ++wrong;
    });
    EXPECT_EQ(pieces, 11);
    EXPECT_EQ(wrong, 0);
}

TEST(Parallel, workersNeverShareANumberAtATime) {
    constexpr int kThreads = 4;
    std::vector<std::atomic<int>> busy(kThreads);
    std::atomic<int> collisions{0};
    parallelFor(kThreads, 400, 1, [&](Index, Index, int worker) {
        auto& mine = busy[static_cast<std::size_t>(worker)];
        if (mine.fetch_add(1) != 0) ++collisions;
        std::this_thread::yield();
        mine.fetch_sub(1);
    });
    EXPECT_EQ(collisions, 0);
}

TEST(Parallel, takesOddRequests) {
    EXPECT_EQ(timesVisited(0, 5, 1), std::vector<int>(5, 1));
    EXPECT_EQ(timesVisited(-3, 5, 2), std::vector<int>(5, 1));
    EXPECT_EQ(timesVisited(2, 5, 0), std::vector<int>(5, 1));
    // A grain whose sum with an index would overflow.
    EXPECT_EQ(timesVisited(3, 5, std::numeric_limits<Index>::max()), std::vector<int>(5, 1));
    parallelFor(2, -4, 1, [](Index, Index, int) { FAIL() << "nothing was to be done"; });
}

TEST(Parallel, rethrowsTheFirstExceptionAndStops) {
    for (const int threads : {1, 2, 6}) {
        std::atomic<Index> visited{0};
        try {
            parallelFor(threads, 1'000'000, 1, [&](Index begin, Index, int) {
                ++visited;
                if (begin == 3) throw std::runtime_error("piece three");
            });
            FAIL() << "nothing was thrown";
        } catch (const std::runtime_error& error) {
            EXPECT_STREQ(error.what(), "piece three");
        }
        EXPECT_LT(visited, 1'000'000);
    }
}

TEST(Parallel, allPiecesMayFail) {
    EXPECT_THROW(parallelFor(4, 64, 1,
                             [](Index begin, Index, int) {
                                 throw InputError("piece " + std::to_string(begin));
                             }),
                 InputError);
}

TEST(Parallel, anErrorGoesBeforeACancellation) {
    std::stop_source source;
    EXPECT_THROW(parallelFor(
                     2, 100, 1,
                     [&](Index, Index, int) {
                         source.request_stop();
                         throw InputError("broken");
                     },
                     source.get_token()),
                 InputError);
}

TEST(Parallel, stopsWhenAsked) {
    for (const int threads : {1, 3}) {
        std::stop_source source;
        std::atomic<Index> visited{0};
        EXPECT_THROW(parallelFor(
                         threads, 1'000'000, 1,
                         [&](Index, Index, int) {
                             if (++visited == 10) source.request_stop();
                         },
                         source.get_token()),
                     Cancelled);
        EXPECT_LT(visited, 1'000'000);
    }
}

TEST(Parallel, aStopBeforeTheStartDoesNothing) {
    std::stop_source source;
    source.request_stop();
    EXPECT_THROW(
        parallelFor(
            2, 10, 1, [](Index, Index, int) { FAIL() << "was to do nothing"; }, source.get_token()),
        Cancelled);
}

TEST(Parallel, aStopAfterTheLastPieceIsNoCancellation) {
    std::stop_source source;
    EXPECT_NO_THROW(parallelFor(
        1, 10, 10, [&](Index, Index, int) { source.request_stop(); }, source.get_token()));
}

TEST(Parallel, worksFromSeveralThreadsAndNested) {
    constexpr Index kOuter = 6;
    constexpr Index kInner = 500;
    std::atomic<Index> total{0};
    {
        std::vector<std::jthread> callers;
        for (int caller = 0; caller < 3; ++caller)
            callers.emplace_back([&] {
                parallelFor(2, kOuter, 1, [&](Index, Index, int) {
                    std::vector<Index> found(kInner, 0);
                    parallelFor(3, kInner, 7, [&](Index begin, Index end, int) {
                        for (Index i = begin; i < end; ++i)
                            found[static_cast<std::size_t>(i)] = i;
                    });
                    total += std::accumulate(found.begin(), found.end(), Index{0});
                });
            });
    }
    EXPECT_EQ(total, 3 * kOuter * (kInner * (kInner - 1) / 2));
}

TEST(Parallel, anErrorOfANestedLoopReachesTheCaller) {
    EXPECT_THROW(parallelFor(2, 4, 1,
                             [](Index, Index, int) {
                                 parallelFor(2, 4, 1, [](Index begin, Index, int) {
                                     if (begin == 2) throw ResourceError("inner");
                                 });
                             }),
                 ResourceError);
}

TEST(Parallel, resultsOfOneLoopAreSeenByTheNext) {
    std::vector<Index> values(1000, 0);
    for (Index round = 0; round < 20; ++round)
        parallelFor(4, 1000, 9, [&](Index begin, Index end, int) {
            for (Index i = begin; i < end; ++i)
                values[static_cast<std::size_t>(i)] += i * round;
        });
    for (Index i = 0; i < 1000; ++i)
        EXPECT_EQ(values[static_cast<std::size_t>(i)], i * 190);
}

TEST(Parallel, knowsAtLeastOneThread) {
    EXPECT_GE(availableThreads(), 1);
}

// Taskset and batch systems restrict it so, for the thread that asks.
TEST(Parallel, hasAThreadForEveryProcessorThatItMayUse) {
    cpu_set_t all;
    ASSERT_EQ(::sched_getaffinity(0, sizeof(all), &all), 0);
    std::vector<std::size_t> processors;
    for (std::size_t i = 0; i < CPU_SETSIZE; ++i)
        if (CPU_ISSET(i, &all)) processors.push_back(i);
    EXPECT_EQ(availableThreads(), static_cast<int>(processors.size()));
    std::jthread([&] {
        cpu_set_t some;
        CPU_ZERO(&some);
        for (std::size_t i = 0; i < std::min<std::size_t>(processors.size(), 3); ++i) {
            CPU_SET(processors[i], &some);
            ASSERT_EQ(::sched_setaffinity(0, sizeof(some), &some), 0);
            EXPECT_EQ(availableThreads(), static_cast<int>(i) + 1);
        }
    }).join();
}

}  // namespace
}  // namespace gantry
