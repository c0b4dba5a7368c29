#include "core/cluster/rank_requests.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "tests/core/cluster/mpi_ranks.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

using Bytes = RankRequests::Bytes;

class RankRequestsTest : public test::OnMpiRanks {
  protected:
    // Rank 0 serves with two threads while the others do this.
    template <class Ask>
    void whileServed(const RankRequests::Answer& answer, const Ask& ask) {
        const auto line = m_ranks.line();
        std::stop_source stop;
        std::vector<std::jthread> servers;
        if (m_ranks.isFirst())
            for (int i = 0; i < 2; ++i)
                servers.emplace_back([&] { line->serve(answer, stop.get_token()); });
        else
            ask(*line);
        m_ranks.barrier({});
        stop.request_stop();
        servers.clear();
        m_ranks.barrier({});
    }
};

TEST_F(RankRequestsTest, EachThreadGetsTheAnswerToItsOwnQuestion) {
    const auto reversed = [](std::span<const std::byte> question) {
        return Bytes(question.rbegin(), question.rend());
    };
    whileServed(reversed, [&](RankRequests& line) {
        std::vector<std::jthread> askers;
        std::atomic<int> wrong = 0;
        for (int thread = 0; thread < 3; ++thread)
            askers.emplace_back([&, thread] {
                for (std::size_t i = 0; i < 20; ++i) {
                    // Short ones, and ones that MPI does not send before they are awaited.
                    Bytes question(i % 4 == 0 ? 200'003 : i, static_cast<std::byte>(thread));
                    if (!question.empty()) question.back() = static_cast<std::byte>(i);
                    const Bytes answer = line.ask(0, question, {});
                    if (answer != Bytes(question.rbegin(), question.rend())) ++wrong;
                }
            });
        askers.clear();
        EXPECT_EQ(wrong, 0);
    });
}

TEST_F(RankRequestsTest, WhatAnAnswerThrowsTheAskerGets) {
    const auto fails = [](std::span<const std::byte> question) -> Bytes {
        if (question.empty()) throw InputError("view_7.tif is cut off.");
        throw ResourceError("The disk is full.");
    };
    whileServed(fails, [&](RankRequests& line) {
        EXPECT_ERROR((void)line.ask(0, {}, {}), InputError, "view_7.tif is cut off.");
        EXPECT_ERROR((void)line.ask(0, Bytes(3), {}), ResourceError, "The disk is full.");
    });
}

TEST_F(RankRequestsTest, WhoIsNotAnsweredMayGiveUp) {
    if (m_ranks.size() == 1) GTEST_SKIP() << "needs several ranks";
    const auto line = m_ranks.line();
    const std::int64_t begin = nowNs();
    if (!m_ranks.isFirst()) {
        std::stop_source stop;
        const std::jthread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            stop.request_stop();
        });
        EXPECT_THROW((void)line->ask(0, Bytes(1'000'000), stop.get_token()), Cancelled);
    }
    m_ranks.barrier({});
    EXPECT_LT(secondsSince(begin), 5);
}

}  // namespace
}  // namespace gantry
