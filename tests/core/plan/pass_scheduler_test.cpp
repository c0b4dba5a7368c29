#include "core/plan/cluster/pass_scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>

namespace gantry {
namespace {

// Ranks that make slices at a speed of their own, which may change; time goes on in small steps.
class Ranks {
  public:
    Ranks(PassScheduler::Run run, std::vector<double> speeds)
        : m_run(std::move(run)), m_scheduler(m_run), m_speeds(std::move(speeds)) {
        m_ranks.resize(m_speeds.size());
    }

    // At each moment ranks are as fast as their speeds times their own factor.
    void disturb(std::function<double(int rank, double now)> factor) {
        m_factor = std::move(factor);
    }
    // Until all is made; returns when. change: of the speeds, after so many seconds
    double make(double changeAfter = std::numeric_limits<double>::infinity(),
                const std::vector<double>& changed = {}) {
        constexpr double kStep = 0.05;
        int step = 0;
        for (; step < 100'000; ++step) {
            const double now = kStep * step;
            if (now >= changeAfter) m_speeds = changed;
            bool isAnyAtWork = false;
            for (int rank = 0; rank < static_cast<int>(m_ranks.size()); ++rank)
                isAnyAtWork = work(rank, now, kStep) || isAnyAtWork;
            if (step % 5 == 0) look(now);
            if (!isAnyAtWork && m_scheduler.areAllAssigned()) return now;
        }
        ADD_FAILURE() << "the work does not end";
        return kStep * step;
    }

    [[nodiscard]] const std::vector<Index>& madeBy(int rank) const {
        return m_ranks[static_cast<std::size_t>(rank)].made;
    }
    [[nodiscard]] std::size_t moves() const { return m_moves.size(); }
    [[nodiscard]] int timesMoved() const { return m_timesMoved; }
    [[nodiscard]] const PassScheduler& scheduler() const { return m_scheduler; }

  private:
    struct Rank {
        std::vector<Index> made;  ///< passes
        double left = 0;          ///< slices of the last
        double done = 0;
    };

    bool work(int number, double now, double seconds) {
        Rank& rank = m_ranks[static_cast<std::size_t>(number)];
        double could = seconds * m_speeds[static_cast<std::size_t>(number)] * m_factor(number, now);
        while (could > 0) {
            if (rank.left <= 0) {
                const std::optional<Index> next = m_scheduler.next(number, now);
                if (!next) return false;
                rank.made.push_back(*next);
                const auto pass =
                    std::find_if(m_run.passes.begin(), m_run.passes.end(),
                                 [&](const AssignedPass& one) { return one.firstSlab == *next; });
                rank.left = static_cast<double>(pass->slices);
            }
            const double does = std::min(could, rank.left);
            rank.left -= does;
            rank.done += does;
            could -= does;
        }
        return true;
    }
    void look(double now) {
        for (int rank = 0; rank < static_cast<int>(m_ranks.size()); ++rank)
            m_scheduler.setDone(rank, m_ranks[static_cast<std::size_t>(rank)].done, now);
        const std::vector<MovedPass> moved = m_scheduler.rebalance(now);
        m_moves.insert(m_moves.end(), moved.begin(), moved.end());
        if (!moved.empty()) ++m_timesMoved;
    }

    PassScheduler::Run m_run;
    PassScheduler m_scheduler;
    std::vector<double> m_speeds;
    std::vector<Rank> m_ranks;
    std::vector<MovedPass> m_moves;
    int m_timesMoved = 0;
    std::function<double(int rank, double now)> m_factor = [](int, double) { return 1.0; };
};

PassScheduler::Run runOf(const std::vector<int>& passesOfRows, Index slices = 10,
                         Index columns = 1) {
    PassScheduler::Run run;
    run.columns = columns;
    run.batches = 5;
    Index slab = 0;
    const double all = std::accumulate(passesOfRows.begin(), passesOfRows.end(), 0.0);
    for (std::size_t row = 0; row < passesOfRows.size(); ++row) {
        run.shares.push_back(passesOfRows[row] / all);
        for (int i = 0; i < passesOfRows[row]; ++i)
            run.passes.push_back({slab++, slices, static_cast<int>(row)});
    }
    return run;
}

TEST(PassScheduler, GivesEachRowItsOwnInOrderWhereAllAreAsFastAsTheirShares) {
    Ranks ranks(runOf({8, 4}), {20, 10});
    EXPECT_NEAR(ranks.make(), 4, 0.11);
    EXPECT_EQ(ranks.madeBy(0), (std::vector<Index>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(ranks.madeBy(1), (std::vector<Index>{8, 9, 10, 11}));
    EXPECT_EQ(ranks.moves(), 0U);
}

// The ideal is what all speeds make together. A pass of the slow rank is what cannot be shared.
TEST(PassScheduler, MovesWhatASlowRankHasNotBegun) {
    for (const double slow : {0.5, 0.25}) {
        Ranks ranks(runOf({16, 16}), {8, 8 * slow});
        const double ideal = 320 / (8 + 8 * slow);
        EXPECT_LT(ranks.make(), 1.1 * ideal) << slow;
        EXPECT_GT(ranks.moves(), 0U);
        std::set<Index> all;
        for (int rank = 0; rank < 2; ++rank)
            for (const Index slab : ranks.madeBy(rank))
                EXPECT_TRUE(all.insert(slab).second) << "each pass is made once";
        EXPECT_EQ(all.size(), 32U);
    }
}

TEST(PassScheduler, MovesPassesWhenARankSlowsInTheMidst) {
    Ranks ranks(runOf({16, 16}), {8, 8});
    // Half is made then; what is left is made at 10 slices a second.
    const double ideal = 10 + 160.0 / 10;
    EXPECT_LT(ranks.make(10, {8, 2}), 1.15 * ideal);
    EXPECT_GT(ranks.madeBy(0).size(), 20U);
}

// A slab has to be stored before its memory is free for another one, at other moments on each rank.
TEST(PassScheduler, ARankThatWaitsAtTheEndOfAPassIsNotSlow) {
    PassScheduler scheduler(runOf({4, 4}));
    for (int rank = 0; rank < 2; ++rank)
        for (int pass = 0; pass < 3; ++pass)
            (void)scheduler.next(rank, 0);
    // 8 slices a second; the second rank has made two passes of 10 then, and waits for 2.5 s.
    const auto report = [&](double now) {
        const double waited = std::clamp(now - 2.5, 0.0, 2.5);
        scheduler.setDone(0, std::min(8 * now, 30.0), now);
        scheduler.setDone(1, std::min(8 * (now - waited), 30.0), now);
        return scheduler.rebalance(now).size();
    };
    for (int step = 0; step <= 24; ++step)
        EXPECT_EQ(report(0.25 * step), 0U) << 0.25 * step;
    EXPECT_NEAR(scheduler.throughputOf(1, 6), 1, 0.1);
}

TEST(PassScheduler, GivesPassesBackWhenARankIsFastAgain) {
    Ranks ranks(runOf({30, 30}), {8, 1});
    EXPECT_LT(ranks.make(8, {8, 8}), 1.1 * (8 + (600 - 72) / 16.0));
    EXPECT_GT(ranks.madeBy(1).size(), 20U);
}

// Another program takes a part of a rank's time for some seconds, then of another's.
std::function<double(int, double)> otherPrograms(unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::array<double, 2>> factors(2000);
    for (auto& both : factors)
        for (double& factor : both)
            factor = 0.5 + 0.5 * static_cast<double>(random()) / static_cast<double>(random.max());
    return [factors](int rank, double now) {
        constexpr double kSeconds = 1.7;
        return factors[static_cast<std::size_t>(now / kSeconds)][static_cast<std::size_t>(rank)];
    };
}

TEST(PassScheduler, DoesNotSwingWhereOtherProgramsDisturbRanksThatAreEqual) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        Ranks ranks(runOf({32, 32}), {8, 8});
        ranks.disturb(otherPrograms(seed));
        const double seconds = ranks.make();
        EXPECT_LE(ranks.timesMoved(), 6) << seed << ": it was looked at 200 times";
        EXPECT_LT(seconds, 1.1 * 640 / (16 * 0.75)) << seed;
    }
}

TEST(PassScheduler, MovesWhatASlowRankHasNotBegunAlsoWhereOtherProgramsDisturb) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        Ranks ranks(runOf({32, 32}), {8, 4});
        ranks.disturb(otherPrograms(seed));
        EXPECT_LT(ranks.make(), 1.15 * 640 / (12 * 0.75)) << seed;
        EXPECT_GT(ranks.madeBy(0).size(), 38U) << seed << ": 43 are its share";
    }
}

TEST(PassScheduler, ARankThatTellsNothingCountsAsSlow) {
    Ranks ranks(runOf({12, 12}), {10, 1e-3});
    // All but the one that it has begun.
    (void)ranks.make(10, {10, 1000});
    EXPECT_GT(ranks.madeBy(0).size(), 9U);
}

TEST(PassScheduler, AllRanksOfARowMakeTheSameInTheSameOrder) {
    // The second rank of the second row is slow, and the row with it.
    Ranks ranks(runOf({16, 16}, 10, 2), {8, 8, 8, 2});
    EXPECT_LT(ranks.make(), 1.15 * 320 / 10);
    EXPECT_EQ(ranks.madeBy(0), ranks.madeBy(1));
    EXPECT_EQ(ranks.madeBy(2), ranks.madeBy(3));
    EXPECT_EQ(ranks.madeBy(0).size() + ranks.madeBy(2).size(), 32U);
    EXPECT_LT(ranks.madeBy(2).size(), 10U);
}

TEST(PassScheduler, NothingGoesWhereMemoryIsShort) {
    PassScheduler::Run run = runOf({6, 6});
    run.fits = {std::vector<bool>(12, true), std::vector<bool>(12, true)};
    for (std::size_t pass = 8; pass < 12; ++pass)
        run.fits[0][pass] = false;
    Ranks ranks(run, {20, 2});
    (void)ranks.make();
    for (const Index slab : ranks.madeBy(0))
        EXPECT_LT(slab, 8);
}

TEST(PassScheduler, SaysWhoMakesWhatAndHowFast) {
    Ranks ranks(runOf({10, 10}), {10, 10});
    (void)ranks.make(3, {10, 2});
    std::vector<Index> all;
    for (int row = 0; row < 2; ++row) {
        const std::vector<Index> passes = ranks.scheduler().passesOf(row);
        EXPECT_EQ(passes, ranks.madeBy(row));
        all.insert(all.end(), passes.begin(), passes.end());
    }
    EXPECT_EQ(all.size(), 20U);
    EXPECT_NEAR(ranks.scheduler().throughputOf(1, 1000), 0.2, 0.1);
}

}  // namespace
}  // namespace gantry
