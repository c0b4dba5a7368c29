#pragma once

#include <condition_variable>
#include <mutex>
#include <set>
#include <stop_token>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/engine/backends.h"
#include "core/job/event_log.h"
#include "core/job/job_directory.h"
#include "core/metrics/volume_summary.h"
#include "core/pipeline/progress.h"
#include "core/plan/job_plan.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// preview.mha while a job runs: the whole volume in at most 128 voxels along an axis, first
/// reconstructed coarsely from few views; slices of slabs that are kept take their place. Each
/// writing of the file is a `preview` event.
///
/// It is begun once the job has run for two seconds and will for some more, and takes at most 3 %
/// of the job's time: reading a view costs what the job's own spans say, and adding one to the
/// volume is reckoned; so many views are taken as that allows, and none is made of too few. A
/// failure is logged and costs the preview only.
/// Several threads may use it. Tests: tests/core/work/job_preview_test.cpp
class JobPreview {
  public:
    /// The job it is of; all of it outlives this.
    struct Job {
        const JobDirectory& directory;
        EventLog& events;
        const OpenScan& scan;
        const JobPlan& plan;
        const VolumeSummary& summary;
        std::set<Index> kept;  ///< slabs, of an earlier run
    };
    /// Whether a job that has the memory gets one: its volume has many more voxels.
    [[nodiscard]] static bool isWorthIt(const JobSpec& spec);
    /// Memory that it takes, of which the plan knows; 0 where none is made.
    [[nodiscard]] static Index bytesNeeded(const JobSpec& spec);

    explicit JobPreview(Job job);

    /// How the job does.
    void take(const TimelineSpan& span);
    void take(const Progress& progress);
    /// These slabs are kept.
    void take(const std::vector<Index>& slabs);

    /// Waits for its time, and makes it; returns when it is there, will not come, or end() was
    /// called. cpu: renders it
    void make(const EngineBackend& cpu, const std::stop_token& stop);
    /// The job is done.
    void end();

  private:
    [[nodiscard]] Index viewsInTime() const;
    void begin(HostBuffer<float> coarse);
    void write();

    const Job m_job;
    std::stop_source m_end;
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    double m_jobSeconds = -1;  ///< predicted; negative: unknown
    double m_leftSeconds = -1;
    double m_readSeconds = 0;  ///< of views that were read and prepared so far
    Index m_readBytes = 0;
    std::vector<bool> m_isKept;  ///< slices of the preview
    HostBuffer<float> m_coarse;  ///< [z][y][x]; empty: not made yet
    std::int64_t m_writtenNs = 0;
};

}  // namespace gantry
