#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// Slabs that the ranks of a row of the grid make from one reading of the views. All ranks identify
/// it by its first slab.
struct AssignedPass {
    Index firstSlab = 0;
    Index slices = 0;
    int row = 0;
};

/// A pass that another row makes from now on.
struct MovedPass {
    AssignedPass pass;  ///< numbered for the row that makes it now
    int from = 0;
};

/// Estimates how fast a rank is from the progress that it reports. Times are seconds from any fixed
/// moment. Time that it stands still at the end of a pass does not count up to a few seconds: it
/// waits until an earlier slab is stored, as the other ranks do at other moments.
class RankThroughput {
  public:
    /// expected: slices a second, until the rank's own rate is known; 0: not known
    /// step: slices after which a rank reports progress, about
    RankThroughput(double expected, double step) : m_rate(expected), m_step(step) {}

    /// Work was given to a rank that had none; what it did before says nothing about its rate.
    void begin(double now);
    /// done: slices in all. isPassDone: they complete a pass
    void add(double now, double done, bool isPassDone);

    [[nodiscard]] double done() const { return m_done; }
    /// Whether its rate is known.
    [[nodiscard]] bool isKnown() const { return m_isKnown; }
    /// Slices a second. The estimate falls while a rank reports nothing, as if it reported only
    /// now.
    [[nodiscard]] double rate(double now) const;
    /// The rate when it was last at work.
    [[nodiscard]] double usual() const { return m_rate; }
    void expect(double rate) {
        if (!m_isKnown) m_rate = rate;
    }

  private:
    struct Report {
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
    bool m_isPassDone = false;  ///< in its last report
    double m_waited = 0;        ///< seconds, at the ends of passes
    std::deque<Report>
        m_reports;  ///< reports of the last seconds, the oldest first; without m_waited
};

/// Assigns the passes of a run on several ranks one by one as ranks ask for them: those of their
/// row of the grid in order, and the same to all ranks of a row. Where rows turn out unequal,
/// passes that nobody has begun move to rows that would finish sooner, which changes no slab.
/// Tests: tests/core/plan/pass_scheduler_test.cpp
class PassScheduler {
  public:
    struct Run {
        std::vector<AssignedPass> passes;  ///< in the order in which each row makes its passes
        std::vector<double> shares;        ///< [row] planned shares of the work
        Index columns = 1;
        double batches = 1;  ///< that a pass consists of
        /// [row] [pass] Whether the row has enough memory for it.
        std::vector<std::vector<bool>> takes{};
    };
    explicit PassScheduler(Run run);

    /// The first slab of the pass that this rank makes next; none: there is none for it at the
    /// moment.
    [[nodiscard]] std::optional<Index> next(int rank, double now);
    /// Whether all passes were assigned to a row, so that a rank which has made its passes is done.
    [[nodiscard]] bool areAllGiven() const;
    /// Reports how many slices a rank has added all its views to; parts of slices count.
    void setDone(int rank, double slices, double now);

    /// Moves passes where that finishes the whole clearly sooner. Nothing is moved before the rate
    /// of every rank is known, or the rank had enough time to show it.
    std::vector<MovedPass> assignAnew(double now);

    /// The current rate of a row, by the slowest of its ranks, relative to what its share implies
    /// at the other rows' rates.
    [[nodiscard]] double throughputOf(int row, double now) const;
    /// The first slabs of the passes that a row has made or will make.
    [[nodiscard]] std::vector<Index> passesOf(int row) const;

  private:
    struct Row {
        std::vector<std::size_t> given;  ///< indices of the run's passes
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
    std::vector<RankThroughput> m_throughputs;  ///< [rank]
    std::vector<std::size_t> m_next;            ///< [rank] index in Row::given
    std::optional<double> m_beginTime;
};

}  // namespace gantry
