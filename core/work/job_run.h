#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/job/event_log.h"
#include "core/job/job_directory.h"
#include "core/job/provenance.h"
#include "core/machine/measure.h"
#include "core/recon/reconstruct.h"
#include "core/report/job_result.h"
#include "core/scan/open_scan.h"
#include "core/work/job_preview.h"
#include "core/work/job_ranks.h"
#include "core/work/rank_storage.h"
#include "core/work/run_job.h"
#include "core/work/settled_spec.h"
#include "core/work/volume_store.h"

namespace gantry {

/// One run of one job by one process: opens, plans and reconstructs its scan, and writes the job's
/// log, its checkpoint and the volume's record. runJob() reports the job's state around it. Used
/// once. Tests: tests/core/work/reconstruct_test.cpp
class JobRun {
  public:
    /// Opens and plans, and creates the volume's files. All arguments outlive it; before: content
    /// of the job's log
    /// @throws InputError, ResourceError, Cancelled
    JobRun(const JobDirectory& job, const RunContext& context, JobRanks& ranks, EventLog& events,
           JobEvents before);

    /// @throws InputError, ResourceError, Cancelled; the output is then what it was before
    JobResult run();

  private:
    [[nodiscard]] StoreShare storeShare() const;
    [[nodiscard]] std::vector<IndexRange> slicesWrittenHere() const;
    void describeRun();
    void keepPlan();
    [[nodiscard]] RunObserver observer();
    [[nodiscard]] std::vector<Index> ownOf(std::vector<Index> slabs) const;
    void reconstructSlabs();
    void iterate(const OpenScan& scan, const RunObserver& observer, const std::stop_token& stop);
    void finish();
    void completeVolume();
    void keepSpeeds();
    void keepRunTimes();

    void note(const std::string& text);
    void logOnce(const std::string& text);
    void report(const Progress& progress);
    void take(const TimelineSpan& span);

    const JobDirectory& m_directory;
    const RunContext& m_context;
    JobRanks& m_ranks;
    std::optional<Checkpoint> m_checkpoint;
    SettledSpec m_settled;  ///< its scan becomes m_scan
    const JobSpec m_spec;   ///< the part of this process
    EventLog& m_events;
    const OpenScan m_scan;  ///< as stored
    const RankStorage m_storage;
    const OpenScan m_corrected;  ///< as planned and shown
    const PlannedRun m_planned;
    const JobPlan& m_plan = m_planned.plan;
    std::vector<FileChecksum> m_checksums;
    std::vector<std::string> m_logged;           ///< log lines of earlier runs of the job
    std::vector<TimelineSpan> m_spans;           ///< of all runs
    std::vector<IterationFigures> m_iterations;  ///< of earlier runs
    const std::size_t m_earlierSpans;            ///< how many of them belong to earlier runs
    const std::int64_t m_beginNs;                ///< begin of this run on the spans' clock
    std::mutex m_spanMutex;
    const std::string m_engine;
    JobResult m_result;
    /// It is after all that may refuse the request, so that a refused one leaves no output.
    std::optional<VolumeStore> m_store;
    std::optional<JobPreview> m_preview;
};

}  // namespace gantry
