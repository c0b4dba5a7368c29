#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/cluster/rank_watch.h"
#include "core/machine/measure.h"
#include "core/pipeline/progress.h"
#include "core/plan/job_spec.h"
#include "core/recon/run_setup.h"
#include "core/work/dealt_grid.h"
#include "core/work/grid_planning.h"
#include "core/work/rank_dealing.h"
#include "core/work/rank_storage.h"

namespace gantry {

/// The request of one of several ranks on a machine, with its part of threads, memory and GPUs; of
/// these none where the CPU is asked for.
/// number: of the rank among `ranks` of the machine
/// Tests: tests/core/work/job_ranks_test.cpp
[[nodiscard]] JobSpec partOfMachine(JobSpec spec, const Machine& machine, int number, int ranks);

/// The processes that run a job: this one alone, or the ranks that a launcher of MPI has started.
/// Every rank makes its part of a grid's slabs and writes it into the one volume; rank 0 keeps the
/// job's folder and ends it.
/// Tests: tests/cli/test_ranks.py
class JobRanks {
  public:
    /// This process alone.
    JobRanks() = default;
    /// All ranks do this at the same time. ranks: outlives this
    /// @throws Cancelled
    JobRanks(Communicator& ranks, const std::stop_token& stop);

    [[nodiscard]] bool isAlone() const { return !m_ranks; }
    [[nodiscard]] bool isFirst() const { return rank() == 0; }
    [[nodiscard]] int rank() const { return m_ranks ? m_ranks->rank() : 0; }
    [[nodiscard]] int count() const { return m_ranks ? m_ranks->size() : 1; }
    /// The machines' names, of each rank.
    [[nodiscard]] std::vector<std::string> hosts() const;
    /// A name that no other run has; empty where this process is alone.
    [[nodiscard]] const std::string& run() const { return m_run; }

    /// The request, whose FilterRows are those of rank 0: all filter along the same.
    [[nodiscard]] JobSpec agreed(JobSpec spec);
    /// This rank's partOfMachine().
    [[nodiscard]] JobSpec shareOf(JobSpec spec, const Backends& backends) const;
    /// learnAndPlan() of what this rank makes; the plan's slabs are those of all.
    /// stored, reads: see RankRequest
    /// @throws as learnAndPlan() and planTogether()
    [[nodiscard]] PlannedRun plan(const OpenScan& scan, const JobSpec& spec,
                                  const Backends& backends, const SinkNeeds& sink, Purpose purpose,
                                  const std::optional<FinishedSlabs>& finished,
                                  std::optional<GridPlan> stored, bool reads,
                                  const std::stop_token& stop);
    /// Who reads and writes for all.
    [[nodiscard]] RankStorage storage(RankIo io);
    /// Of the plan, for reconstruct(); empty where this process is alone.
    [[nodiscard]] RankGroups groups() const;
    /// On rank 0: what all ranks do by the plan, and as passes have moved since.
    [[nodiscard]] const std::vector<RankPlan>& plans() const { return m_plans; }
    /// On rank 0: its plan as passes have moved.
    [[nodiscard]] JobPlan withMoves(JobPlan plan) const;
    /// On rank 0: `moved` is called with a sentence whenever passes have moved, in a thread of its
    /// own, which alone may call plans() and withMoves() then. Before reconstruct().
    void whenMoved(std::function<void(const std::string& sentence)> moved);
    /// On rank 0, once all ranks have made their passes: the first of those sentences.
    [[nodiscard]] const std::vector<std::string>& moves() const { return m_moves; }
    /// Does `open` on rank 0, and on the others when it has done so there; returns when all have.
    void inTurn(const std::function<void()>& open);
    /// Returns when all ranks have come here.
    void waitForAll();
    /// The moment of this process' nowNs() that is rank 0's `originNs`.
    [[nodiscard]] std::int64_t sharedOrigin(std::int64_t originNs);
    /// How this process' clock goes against rank 0's by now; from any thread.
    [[nodiscard]] RankClock::Estimate clockNow() const;
    /// What is to be added by now to times since sharedOrigin(), as clocks of two machines drift
    /// apart; from any thread.
    [[nodiscard]] std::int64_t driftedNs() const { return clockNow().aheadNs - m_aheadNs; }

    /// Does the work, within which alone agreed() and plan() to sharedOrigin() are called, by all
    /// ranks in the same order. What ends it on one rank ends it on all.
    /// @throws what `work` throws here, or on another rank: then the sentence names that
    void work(const std::function<void(const std::stop_token&)>& work, const std::stop_token& stop);

    /// Of the whole run, where this rank is so far; kept for rank 0.
    [[nodiscard]] Progress wholeProgress(const Progress& own);

  private:
    void barrier();
    void setProgress(const PlannedRank& planned, const OpenScan& scan, const JobSpec& spec);
    void makeGroups(const GridPart& part);
    void startDealing(const JobPlan& plan, const OpenScan& scan, const JobSpec& spec);
    void takeMoves(const std::vector<MovedPass>& moved, const PassDealer& dealer, double now);
    [[nodiscard]] std::exception_ptr failTogether(std::exception_ptr error) noexcept;

    Communicator* m_ranks = nullptr;
    std::unique_ptr<RankWatch> m_watch;
    std::vector<RankProcess> m_processes;
    std::unique_ptr<RankLine> m_line;
    std::unique_ptr<RankGroup> m_row;
    std::unique_ptr<RankGroup> m_column;
    std::vector<RankPlan> m_plans;
    std::optional<DealtGrid> m_dealt;
    std::vector<double> m_progressBefore;  ///< [rank], of setProgress()
    std::map<Index, Index> m_passOfSlab;   ///< its first; the number of this rank's pass
    std::function<void(const std::string& sentence)> m_whenMoved;
    std::vector<std::string> m_moves;
    std::unique_ptr<RankDealing> m_dealing;
    std::string m_run;
    std::int64_t m_aheadNs = 0;  ///< of rank 0's clock at sharedOrigin()
    int m_onThisHost = 1;        ///< ranks
    int m_numberOnHost = 0;      ///< of this rank among them
};

}  // namespace gantry
