#pragma once

#include <condition_variable>
#include <mutex>
#include <set>
#include <stop_token>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/engine/backends.h"
#include "core/engine/plane_preview.h"
#include "core/filter/filter_spec.h"
#include "core/geometry/volume_grid.h"
#include "core/job/event_log.h"
#include "core/job/job_directory.h"
#include "core/metrics/volume_summary.h"
#include "core/pipeline/progress.h"
#include "core/plan/job_plan.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// Keeps preview.mha while a job runs: the whole volume in at most 128 voxels along an axis. It is
/// first reconstructed coarsely from few views; then slices of finished slabs replace it. Each time
/// the file is written there is a `preview` event.
///
/// It begins once the job has run for two seconds and will run for some more, and takes at most 3 %
/// of the job's time: the cost of reading a view comes from the job's own spans, that of adding one
/// is estimated; as many views are used as that allows, and with too few there is no preview. A
/// failure is logged and costs only the preview.
/// Several threads may use it. Tests: tests/core/work/job_preview_test.cpp
class JobPreview {
  public:
    /// The job that the preview belongs to; all members outlive this.
    struct Job {
        const JobDirectory& directory;
        EventLog& events;
        const OpenScan& scan;
        const JobPlan& plan;
        const VolumeSummary& summary;
        std::set<Index> kept;  ///< finished slabs of an earlier run
    };
    /// Whether a job with enough memory gets one: its volume has many more voxels.
    [[nodiscard]] static bool isWorthIt(const JobSpec& spec);
    /// Memory that it takes, which the plan includes; 0 if there is no preview.
    [[nodiscard]] static Index bytesNeeded(const JobSpec& spec);

    explicit JobPreview(Job job);

    /// Reports the progress of the job.
    void take(const TimelineSpan& span);
    void take(const Progress& progress);
    /// Reports that these slabs are finished.
    void take(const std::vector<Index>& slabs);

    /// Waits until it is time, and makes the coarse volume; returns when it is done or given up, or
    /// end() was called. cpu: renders it
    void make(const EngineBackend& cpu, const std::stop_token& stop);
    /// Reports that the job is done.
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
    double m_readSeconds = 0;  ///< of the views that were read and prepared so far
    Index m_readBytes = 0;
    std::vector<bool> m_isKept;  ///< slices of the preview
    HostBuffer<float> m_coarse;  ///< [z][y][x]; empty: not made yet
    std::int64_t m_writtenNs = 0;
};

/// Max views that a coarse volume is made from: more gain nothing in so few voxels.
inline constexpr Index kMaxCoarseViews = 180;

/// Reconstructs a volume of few voxels from few of the scan's views, evenly chosen, whose pixels
/// are binned to match.
/// @returns attenuation, 1/mm, [z][y][x]
/// @throws InputError, ResourceError, Cancelled
/// Tests: tests/core/work/job_preview_test.cpp
[[nodiscard]] HostBuffer<float> coarseVolume(const OpenScan& scan, const FilterSpec& filter,
                                             const VolumeGrid& grid, Index views,
                                             PlanePreview& preview, const std::stop_token& stop);

/// Max memory that it takes, its result included. detector: of the scan
[[nodiscard]] Index coarseVolumeBytes(const Detector& detector, const VolumeGrid& grid);

}  // namespace gantry
