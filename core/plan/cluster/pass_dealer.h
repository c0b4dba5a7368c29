#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// Slabs that are made from one reading of the views by the ranks of a row of the grid. All ranks
/// name it by its first slab.
struct DealtPass {
    Index firstSlab = 0;
    Index slices = 0;
    int row = 0;
};

/// A pass that another row makes from now on.
struct MovedPass {
    DealtPass pass;  ///< of the row that makes it now
    int from = 0;
};

/// How fast a rank is, from what it has told of its progress. Times are seconds from any moment.
/// Time that it stands still at the end of a pass does not count, but for what is over some
/// seconds: it waits until an earlier slab is stored, as the others do at other moments.
class RankPace {
  public:
    /// expected: slices a second, until the rank has shown its own; 0: not known
    /// step: slices after which a rank tells of progress, about
    RankPace(double expected, double step) : m_rate(expected), m_step(step) {}

    /// Work was given to it. It had none before: what it has done until then tells no pace.
    void begin(double now);
    /// done: slices in all. isPassDone: a pass ends with them
    void add(double now, double done, bool isPassDone);

    [[nodiscard]] double done() const { return m_done; }
    /// Whether it has shown its pace.
    [[nodiscard]] bool isKnown() const { return m_isKnown; }
    /// Slices a second. A rank that has told nothing for long is no faster than if it were just
    /// about to.
    [[nodiscard]] double rate(double now) const;
    /// What it was when last at work.
    [[nodiscard]] double usual() const { return m_rate; }
    void expect(double rate) {
        if (!m_isKnown) m_rate = rate;
    }

  private:
    struct Told {
        double time = 0;
        double done = 0;
    };
    [[nodiscard]] double usualStep() const;
    [[nodiscard]] double waitUntil(double now) const;

    double m_rate;
    double m_step;
    double m_done = 0;
    bool m_isKnown = false;
    double m_beginTime = 0;
    bool m_isPassDone = false;  ///< as it told last
    double m_waited = 0;        ///< at the ends of passes
    std::deque<Told> m_told;    ///< of the last seconds, the oldest first; without m_waited
};

/// Gives the passes of a run on several ranks to them one by one, as they ask: those of their row
/// of the grid in order, the same to all ranks of it. Where rows come out unequal after all, passes
/// that nobody has begun move to rows that would be done sooner, which changes no slab.
/// Tests: tests/core/plan/pass_dealer_test.cpp
class PassDealer {
  public:
    struct Run {
        std::vector<DealtPass> passes;  ///< in the order in which each row makes its own
        std::vector<double> shares;     ///< [row] of the work, that were thought right
        Index columns = 1;
        double batches = 1;  ///< in which a pass is made
        /// [row] [pass] Whether the row has the memory for it.
        std::vector<std::vector<bool>> takes{};
    };
    explicit PassDealer(Run run);

    /// The first slab of the pass that this rank makes next; none: there is none for it at the
    /// moment.
    [[nodiscard]] std::optional<Index> next(int rank, double now);
    /// Whether all passes were given to a row, so that a rank which has made its own is done.
    [[nodiscard]] bool areAllGiven() const;
    /// Slices to which a rank has added all its views, parts of them included.
    void setDone(int rank, double slices, double now);

    /// Moves passes where the whole is done clearly sooner then. Nothing is moved before every rank
    /// has shown its pace, or had the time for it.
    std::vector<MovedPass> dealAnew(double now);

    /// How fast a row is at present, by the slowest of its ranks, as a part of what its share means
    /// where the others are as fast as they are.
    [[nodiscard]] double paceOf(int row, double now) const;
    /// The first slabs of the passes that a row makes or has made.
    [[nodiscard]] std::vector<Index> passesOf(int row) const;

  private:
    struct Row {
        std::vector<std::size_t> given;  ///< places in the run's passes
        std::deque<std::size_t> queue;
        double givenSlices = 0;
    };
    [[nodiscard]] std::size_t rowOf(int rank) const;
    [[nodiscard]] bool isAtEndOfPass(std::size_t row, double done) const;
    [[nodiscard]] double leftOfGiven(std::size_t row) const;
    [[nodiscard]] double rateOf(std::size_t row, double now) const;
    [[nodiscard]] std::vector<double> ends(double now) const;
    void expectOthers(double now);
    [[nodiscard]] bool haveAllShown(double now) const;

    Run m_run;
    std::vector<Row> m_rows;
    std::vector<RankPace> m_paces;    ///< [rank]
    std::vector<std::size_t> m_next;  ///< [rank] in Row::given
    std::optional<double> m_beginTime;
};

}  // namespace gantry
