#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/cluster/rank_watch.h"
#include "core/plan/cluster/pass_dealer.h"

namespace gantry {

/// Rank 0 gives passes to the ranks of a run, one by one as they ask, and moves those that nobody
/// has begun where ranks are not as fast as was thought. What is asked and told goes beside the
/// collectives, by texts of the watch.
/// Tests: tests/core/work/rank_dealing_test.cpp, tests/cli/test_ranks.py
class RankDealing {
  public:
    /// What rank 0 has; from the thread of RankWatch::run().
    struct First {
        PassDealer dealer;
        /// Slices to which a rank has added its views.
        std::function<double(int rank)> done;
        /// Passes have moved.
        std::function<void(const std::vector<MovedPass>& moved, const PassDealer& dealer,
                           double now)>
            moved;
    };

    /// All ranks do this, within RankWatch::run(). watch: outlives this
    /// first: on rank 0 alone
    RankDealing(RankWatch& watch, int rank, std::optional<First> first);

    /// The first slab of the pass that this rank makes next; nothing: there will be no more.
    /// @throws Cancelled
    [[nodiscard]] std::optional<Index> next(const std::stop_token& stop);

  private:
    void take(const RankMessage& message);
    void look();
    [[nodiscard]] bool answer(int rank, double now);

    RankWatch& m_watch;
    const int m_rank;

    // Of rank 0.
    std::optional<First> m_first;
    std::vector<int> m_waiting;  ///< ranks that have asked
    double m_lookedAt = 0;

    std::mutex m_mutex;  ///< of what follows
    std::condition_variable_any m_told;
    std::optional<Index> m_answer;  ///< kNoMore: none
};

}  // namespace gantry
