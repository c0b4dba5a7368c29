#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/cluster/rank_watch.h"
#include "core/machine/measure.h"
#include "core/pipeline/progress.h"
#include "core/plan/job_spec.h"
#include "core/recon/run_setup.h"
#include "core/work/grid_planning.h"
#include "core/work/rank_balancer.h"
#include "core/work/rank_share.h"
#include "core/work/rank_storage.h"

namespace gantry {

/// @param processes  of all ranks, in order
/// @throws InputError where they are of different versions of Gantry: it names the rank
/// Tests: tests/core/work/job_ranks_test.cpp
void requireOneVersion(std::span<const RankProcess> processes);

/// The processes that run a job: this one alone, or the ranks that a launcher of MPI has started.
/// Every rank makes its part of a grid's slabs and writes it into the one volume; rank 0 manages
/// the job's folder and completes it. Tests: tests/cli/test_ranks.py
class JobRanks {
  public:
    /// Only this process.
    JobRanks() = default;
    /// All ranks call this at the same time. ranks: outlives this @throws Cancelled
    JobRanks(Communicator& ranks, const std::stop_token& stop);

    [[nodiscard]] bool isAlone() const { return !m_ranks; }
    [[nodiscard]] bool isFirst() const { return rank() == 0; }
    [[nodiscard]] int rank() const { return m_ranks ? m_ranks->rank() : 0; }
    [[nodiscard]] int count() const { return m_ranks ? m_ranks->size() : 1; }
    /// The machine's name of each rank.
    [[nodiscard]] std::vector<std::string> hosts() const;
    /// A name that no other run has; empty where this process is alone.
    [[nodiscard]] const std::string& run() const { return m_run; }

    /// The request with rank 0's FilterRows, so that all filter along the same rows.
    [[nodiscard]] JobSpec agreed(JobSpec spec);
    /// This rank's partOfMachine(), by what all ranks of the machine see of it.
    [[nodiscard]] JobSpec shareOf(JobSpec spec, const Backends& backends);
    /// A sentence for the log on that share: describeShare(); empty for a single process.
    [[nodiscard]] const std::string& share() const { return m_share; }
    /// On rank 0: share() of every rank; nothing on the others.
    [[nodiscard]] std::vector<std::string> shares();
    /// learnAndPlan() for the part of this rank; the plan's slabs are those of all.
    /// stored, reads: see RankRequest
    /// @throws as learnAndPlan() and planTogether()
    [[nodiscard]] PlannedRun plan(const OpenScan& scan, const JobSpec& spec,
                                  const Backends& backends, const SinkNeeds& sink, Purpose purpose,
                                  const std::optional<FinishedSlabs>& finished,
                                  std::optional<GridPlan> stored, bool reads,
                                  const std::stop_token& stop);
    /// Which rank reads and which writes for all.
    [[nodiscard]] RankStorage storage(RankIo io);
    /// The plan's groups, for reconstruct(); empty for a single process.
    [[nodiscard]] RankGroups groups() const;
    /// On rank 0: the plans of all ranks, including passes that have moved since.
    [[nodiscard]] const std::vector<RankPlan>& plans() const { return m_plans; }
    /// On rank 0: its plan after passes have moved.
    [[nodiscard]] JobPlan withMoves(JobPlan plan) const;
    /// On rank 0, before reconstruct(): `moved` will be called with a sentence whenever passes have
    /// moved, in a thread of its own; only that thread may then call plans() and withMoves().
    void whenMoved(std::function<void(const std::string& sentence)> moved);
    /// On rank 0, once all ranks have made their passes: the first of those sentences.
    [[nodiscard]] const std::vector<std::string>& moves() const { return m_moves; }
    /// Calls `open` on rank 0, then on the others; returns when all have done so.
    void inTurn(const std::function<void()>& open);
    /// Returns when all ranks have called it.
    void waitForAll();
    /// The time of this process' nowNs() that corresponds to rank 0's `originNs`.
    [[nodiscard]] std::int64_t sharedOrigin(std::int64_t originNs);
    /// This process' clock relative to rank 0's now; safe from any thread.
    [[nodiscard]] RankClock::Estimate clockNow() const;
    /// The correction to add now to times since sharedOrigin(), because clocks of two machines
    /// drift apart; safe from any thread.
    [[nodiscard]] std::int64_t driftedNs() const { return clockNow().aheadNs - m_aheadNs; }

    /// Runs the work; only within it agreed() to shares() and plan() to sharedOrigin() may be
    /// called, by all ranks in the same order. What ends it on one rank ends it on all.
    /// @throws what `work` throws here, or on another rank: the sentence then names that rank
    void work(const std::function<void(const std::stop_token&)>& work, const std::stop_token& stop);

    /// The progress of the whole run when this rank's is `own`; it is also sent to rank 0.
    [[nodiscard]] Progress wholeProgress(const Progress& own);

  private:
    void barrier();
    void setProgress(const PlannedRank& planned, const OpenScan& scan, const JobSpec& spec);
    void makeGroups(const GridPart& part);
    void startBalancer(const JobPlan& plan, const OpenScan& scan, const JobSpec& spec);
    void takeMoves(const std::vector<MovedPass>& moved, const PassScheduler& scheduler, double now);
    [[nodiscard]] std::exception_ptr failTogether(std::exception_ptr error) noexcept;

    Communicator* m_ranks = nullptr;
    std::unique_ptr<RankWatch> m_watch;
    std::vector<RankProcess> m_processes;
    std::unique_ptr<RankRequests> m_line;
    std::unique_ptr<RankGroup> m_row;
    std::unique_ptr<RankGroup> m_column;
    std::unique_ptr<RankGroup> m_parts;  ///< all ranks, of an iterative method
    std::vector<RankPlan> m_plans;
    std::optional<AssignedGrid> m_assigned;
    std::vector<double> m_progressBefore;  ///< [rank] before its first report: see setProgress()
    std::map<Index, Index> m_passOfSlab;   ///< by its first slab; the number of this rank's pass
    std::function<void(const std::string& sentence)> m_whenMoved;
    std::vector<std::string> m_moves;
    std::unique_ptr<RankBalancer> m_balancer;
    std::string m_run;
    std::int64_t m_aheadNs = 0;  ///< rank 0's clock minus this one at sharedOrigin()
    std::string m_share;
};

}  // namespace gantry
