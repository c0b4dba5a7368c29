#include "core/cluster/rank_group.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "tests/core/cluster/mpi_ranks.h"

namespace gantry {
namespace {

using RankGroupTest = test::OnMpiRanks;

std::vector<int> allOf(const Communicator& ranks) {
    std::vector<int> all(static_cast<std::size_t>(ranks.size()));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

// Lengths are odd, some are 0, some are of several pieces, and each pair has its own.
std::size_t lengthOf(int from, int to, int round) {
    return static_cast<std::size_t>((from * 7919 + to * 104'729 + round * 31) % 5 == 0
                                        ? 0
                                        : 100'003 * (from + 1) * (round % 3 == 2 ? 37 : 1) +
                                              17 * to + round);
}
std::byte valueOf(int from, int to, int round) {
    return static_cast<std::byte>(from * 50 + to * 7 + round);
}

// Gives and takes blocks a few times; returns how many were not as given.
int wrongBlocks(RankGroup& group, int rounds, int kind) {
    const auto size = static_cast<std::size_t>(group.size());
    int wrong = 0;
    for (int round = 0; round < rounds; ++round) {
        std::vector<std::vector<std::byte>> given(size);
        std::vector<std::vector<std::byte>> taken(size);
        std::vector<std::span<const std::byte>> give(size);
        std::vector<std::span<std::byte>> take(size);
        for (int other = 0; other < group.size(); ++other) {
            const auto i = static_cast<std::size_t>(other);
            if (other == group.rank()) continue;
            given[i].assign(lengthOf(group.rank(), other, round),
                            valueOf(group.rank(), other, round + kind));
            taken[i].resize(lengthOf(other, group.rank(), round));
            give[i] = given[i];
            take[i] = taken[i];
        }
        group.exchange(give, take, {}, {});
        for (int other = 0; other < group.size(); ++other)
            for (const std::byte value : taken[static_cast<std::size_t>(other)])
                if (value != valueOf(other, group.rank(), round + kind)) {
                    ++wrong;
                    break;
                }
    }
    return wrong;
}

TEST_F(RankGroupTest, EachGetsWhatEachOtherGivesIt) {
    const auto group = m_ranks.group(allOf(m_ranks), 0);
    EXPECT_EQ(group->rank(), m_ranks.rank());
    EXPECT_EQ(group->size(), m_ranks.size());
    EXPECT_EQ(wrongBlocks(*group, 5, 0), 0);
    m_ranks.barrier({});
}

TEST_F(RankGroupTest, ARankMayBeAlone) {
    const auto group = m_ranks.group({m_ranks.rank()}, 1);
    EXPECT_EQ(group->size(), 1);
    EXPECT_EQ(wrongBlocks(*group, 2, 0), 0);
}

TEST_F(RankGroupTest, GroupsWorkAtOnceInThreadsOfTheirOwn) {
    const auto first = m_ranks.group(allOf(m_ranks), 2);
    const auto second = m_ranks.group(allOf(m_ranks), 3);
    std::array<int, 2> wrong = {-1, -1};
    {
        const std::jthread one([&] { wrong[0] = wrongBlocks(*first, 10, 0); });
        const std::jthread two([&] { wrong[1] = wrongBlocks(*second, 10, 100); });
        m_ranks.barrier({});
    }
    EXPECT_EQ(wrong, (std::array<int, 2>{0, 0}));
}

TEST_F(RankGroupTest, WhoWaitsForOneThatDoesNotComeMayGiveUp) {
    if (m_ranks.size() == 1) GTEST_SKIP() << "needs several ranks";
    const auto group = m_ranks.group(allOf(m_ranks), 4);
    const std::int64_t begin = nowNs();
    if (group->rank() > 0) {
        // The first never comes. Blocks this long are not sent before they are awaited.
        const auto memory = std::make_shared<std::vector<std::byte>>(8'000'000);
        std::vector<std::span<const std::byte>> give(static_cast<std::size_t>(group->size()));
        std::vector<std::span<std::byte>> take(give.size());
        give[0] = std::span(*memory).first(4'000'000);
        take[0] = std::span(*memory).subspan(4'000'000);
        std::stop_source stop;
        const std::jthread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            stop.request_stop();
        });
        EXPECT_THROW(group->exchange(give, take, memory, stop.get_token()), Cancelled);
        EXPECT_GT(memory.use_count(), 1) << "MPI may still read and write there";
    }
    m_ranks.barrier({});
    EXPECT_LT(secondsSince(begin), 5);
}

}  // namespace
}  // namespace gantry
