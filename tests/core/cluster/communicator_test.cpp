#include "core/cluster/communicator.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/cluster/rank_watch.h"
#include "tests/core/cluster/mpi_ranks.h"

namespace gantry {
namespace {

const testing::Environment* const kRanks = testing::AddGlobalTestEnvironment(new test::MpiRanks);

using CommunicatorTest = test::OnMpiRanks;

TEST_F(CommunicatorTest, BroadcastsTheFirstRanksText) {
    const std::string text(100'003, 'x');
    EXPECT_EQ(m_ranks.broadcast(m_ranks.isFirst() ? text : "other", {}), text);
    EXPECT_EQ(m_ranks.broadcast({}, {}), "");
}

TEST_F(CommunicatorTest, GathersEachRanksTextInOrder) {
    const auto textOf = [](int rank) { return std::string(static_cast<std::size_t>(rank), 'a'); };
    const std::vector<std::string> all = m_ranks.gather(textOf(m_ranks.rank()), {});
    ASSERT_EQ(all.size(), m_ranks.isFirst() ? static_cast<std::size_t>(m_ranks.size()) : 0U);
    for (std::size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(all[i], textOf(static_cast<int>(i)));
}

TEST_F(CommunicatorTest, TextsArriveInOrder) {
    const int next = (m_ranks.rank() + 1) % m_ranks.size();
    for (int i = 0; i < 20; ++i)
        m_ranks.send(next, std::to_string(i));
    for (int i = 0; i < 20;)
        if (const std::optional<RankMessage> message = m_ranks.receive()) {
            EXPECT_EQ(message->text, std::to_string(i++));
        }
    m_ranks.barrier({});
}

TEST_F(CommunicatorTest, WhatOneRankFailsWithEndsTheWorkOfAll) {
    if (m_ranks.size() == 1) GTEST_SKIP() << "needs several ranks";
    std::vector<RankProcess> processes(static_cast<std::size_t>(m_ranks.size()), {"here", 1});
    RankWatch watch(m_ranks, processes);
    const int failing = m_ranks.size() - 1;
    const std::int64_t begin = nowNs();
    try {
        watch.run(
            [&](const std::stop_token& stop) {
                if (m_ranks.rank() == failing) throw InputError("view 3 is cut off.");
                while (!stop.stop_requested())
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
            },
            {});
        ADD_FAILURE() << "nothing was thrown";
    } catch (const InputError& error) {
        watch.tellFailure(error);
        EXPECT_NE(messageOf(error).find("view 3 is cut off."), std::string::npos);
        if (m_ranks.rank() != failing) {
            EXPECT_NE(messageOf(error).find("Rank " + std::to_string(failing) + " on here"),
                      std::string::npos);
        }
    }
    EXPECT_LT(secondsSince(begin), 5);
    m_ranks.barrier({});
}

TEST_F(CommunicatorTest, WorkCallsForCollectives) {
    RankWatch watch(m_ranks, std::vector<RankProcess>(static_cast<std::size_t>(m_ranks.size())));
    std::string heard;
    watch.run(
        [&](const std::stop_token&) {
            watch.call([&](const Communicator::Waiting& waiting) {
                heard = m_ranks.broadcast("from the first", waiting);
            });
            watch.call([&](const Communicator::Waiting& waiting) {
                watch.compareClocks(waiting);
                m_ranks.barrier(waiting);
            });
        },
        {});
    EXPECT_EQ(heard, "from the first");
    EXPECT_EQ(watch.clockAt(nowNs()).aheadNs, 0) << "one machine has one clock";
    EXPECT_THROW(watch.call([](const Communicator::Waiting&) {}), Cancelled);
}

// Each rank on a machine whose clock begins elsewhere, and gains 0.25 ms a second on the one
// before.
TEST_F(CommunicatorTest, ClocksOfOtherMachinesAreCompared) {
    std::vector<RankProcess> processes;
    for (int rank = 0; rank < m_ranks.size(); ++rank)
        processes.push_back({"host" + std::to_string(rank), 1});
    const std::int64_t begin = nowNs();
    const auto clockOf = [&](int rank) {
        return nowNs() + rank * (5'000'000'000 + (nowNs() - begin) / 4'000);
    };
    RankWatch watch(m_ranks, processes, [&] { return clockOf(m_ranks.rank()); });
    watch.run(
        [&](const std::stop_token&) {
            watch.call([&](const Communicator::Waiting& waiting) {
                watch.compareClocks(waiting);
                m_ranks.barrier(waiting);
            });
            if (m_ranks.size() > 1) std::this_thread::sleep_for(std::chrono::milliseconds(2500));
            watch.call([&](const Communicator::Waiting& waiting) { m_ranks.barrier(waiting); });
        },
        {});
    const std::int64_t own = clockOf(m_ranks.rank());
    const RankClock::Estimate found = watch.clockAt(own);
    // Half of a message's way, which other programs may hold up; 0.6 ms a rank was the drift.
    const std::int64_t ahead = nowNs() - own;
    EXPECT_LT(std::abs(found.aheadNs - ahead), found.errorNs + 5'000'000);
    EXPECT_EQ(found.errorNs > 0, !m_ranks.isFirst());
    m_ranks.barrier({});
}

TEST_F(CommunicatorTest, WhoIsWaitedForMayBeGivenUp) {
    std::stop_source stop;
    stop.request_stop();
    // One rank alone is done before it looks.
    if (m_ranks.size() > 1 && m_ranks.isFirst()) {
        EXPECT_THROW(m_ranks.barrier({stop.get_token(), {}}), Cancelled);
    } else {
        m_ranks.barrier({});
    }
}

}  // namespace
}  // namespace gantry
