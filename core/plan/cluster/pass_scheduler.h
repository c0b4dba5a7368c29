#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// A pass: the slabs that the ranks of one row of the grid make from one reading of the views. All
/// ranks identify it by its first slab.
struct AssignedPass {
    Index firstSlab = 0;
    Index slices = 0;
    int row = 0;  ///< of the grid, whose ranks make the pass
};

/// A pass that was moved to another row.
struct MovedPass {
    AssignedPass pass;  ///< its `row` is the new one
    int from = 0;       ///< the previous row
};

/// Estimates the throughput of a rank from its progress reports. Times are seconds since any fixed
/// moment. Up to a few seconds without progress at the end of a pass do not count, because the rank
/// then waits for an earlier slab to be stored, which delays every rank at some time.
///
/// Rates of a few seconds each are averaged, so that what disturbs a rank now and then does not
/// count as its speed; one that differs from those before by more than they do among themselves
/// begins a new average.
class RankThroughput {
  public:
    /// expected: slices a second that are assumed until the rank's rate is measured
    /// step: approximate number of slices between two reports
    RankThroughput(double expected, double step) : m_rate(expected), m_reportSlices(step) {}

    /// Starts a new measurement, when an idle rank gets work.
    void begin(double now);
    /// Adds a report. done: all slices so far; isPassDone: whether they complete a pass
    void add(double now, double done, bool isPassDone);

    [[nodiscard]] double done() const { return m_done; }
    /// Whether the rate has been measured.
    [[nodiscard]] bool isKnown() const { return m_isKnown; }
    /// Slices a second. While a report is overdue, the estimate falls as if the report came now.
    [[nodiscard]] double rate(double now) const;
    /// The standard error of the average, as a part of it.
    [[nodiscard]] double error() const;
    /// The rate at the last report, for a rank that is idle.
    [[nodiscard]] double lastRate() const { return m_rate; }
    /// Sets the rate that is assumed until it is measured.
    void assumeRate(double rate) {
        if (!m_isKnown) m_rate = rate;
    }

  private:
    struct Report {
        double time = 0;
        double done = 0;
    };
    [[nodiscard]] double meanInterval() const;
    [[nodiscard]] double storeWait(double now) const;
    void average(double rate);

    double m_rate;
    double m_reportSlices;
    double m_done = 0;
    bool m_isKnown = false;
    double m_beginTime = 0;
    bool m_isPassDone = false;  ///< whether the last report completed a pass
    double m_waited = 0;        ///< seconds of waiting at the ends of passes, not counted
    /// Reports of the last seconds, the oldest first; m_waited is subtracted from their times.
    std::deque<Report> m_reports;
    double m_averagedTime = 0;   ///< until when reports are in m_rates
    std::deque<double> m_rates;  ///< of the last windows, the oldest first
};

/// Assigns the passes of a run on several ranks, one by one as ranks request them. All ranks of a
/// row of the grid get the passes of their row in order. If rows differ in speed from what was
/// planned, passes that no rank has begun move to rows that would finish them sooner; the slabs
/// stay the same. Tests: tests/core/plan/pass_scheduler_test.cpp
class PassScheduler {
  public:
    struct Run {
        std::vector<AssignedPass> passes;  ///< in the order in which each row makes its passes
        std::vector<double> shares;        ///< [row] planned shares of the work
        Index columns = 1;
        double batches = 1;  ///< number of batches of views in a pass
        /// [row] [pass] Whether the row has enough memory for the pass; empty: all fit.
        std::vector<std::vector<bool>> fits{};
    };
    explicit PassScheduler(Run run);

    /// The number of ranks in the grid.
    [[nodiscard]] int ranks() const { return static_cast<int>(m_throughputs.size()); }

    /// Assigns the next pass to a rank. @returns the pass's first slab; none if there is no pass
    /// for it at the moment
    [[nodiscard]] std::optional<Index> next(int rank, double now);
    /// Whether every pass is assigned, so that none can move and a rank that has made its passes is
    /// done.
    [[nodiscard]] bool areAllAssigned() const;
    /// Reports a rank's progress. slices: number of slices, which need not be whole, to which it
    /// has added all its views
    void setDone(int rank, double slices, double now);

    /// Moves passes between rows if the run then finishes clearly sooner: the time saved must
    /// exceed both the cost of a move and what the errors of the measured rates amount to. Nothing
    /// moves before the rate of every rank is measured; after a few seconds one measured rank is
    /// enough.
    std::vector<MovedPass> rebalance(double now);

    /// The current rate of a row, which is that of its slowest rank, relative to the rate that its
    /// planned share implies when compared with the other rows.
    [[nodiscard]] double throughputOf(int row, double now) const;
    /// The first slabs of the passes that a row has made or will make.
    [[nodiscard]] std::vector<Index> passesOf(int row) const;

  private:
    struct Row {
        std::vector<std::size_t> assigned;  ///< indices in Run::passes, in the order of assignment
        std::deque<std::size_t> queue;      ///< indices of passes that no rank has begun
        double assignedSlices = 0;          ///< slices of the assigned passes
    };
    [[nodiscard]] std::size_t rowOf(int rank) const;
    [[nodiscard]] bool isAtEndOfPass(std::size_t row, double done) const;
    [[nodiscard]] double assignedSlicesLeft(std::size_t row) const;
    [[nodiscard]] double rateOf(std::size_t row, double now) const;
    [[nodiscard]] double errorOf(std::size_t row) const;
    [[nodiscard]] std::vector<double> secondsLeft(double now) const;
    [[nodiscard]] bool isWorthIt(const std::vector<double>& before,
                                 const std::vector<double>& after) const;
    void assumeUnknownRates(double now);
    [[nodiscard]] bool areRatesKnown(double now) const;

    Run m_run;
    std::vector<Row> m_rows;
    std::vector<RankThroughput> m_throughputs;  ///< [rank]
    std::vector<std::size_t> m_next;            ///< [rank] index in Row::assigned
    std::optional<double> m_beginTime;
};

}  // namespace gantry
