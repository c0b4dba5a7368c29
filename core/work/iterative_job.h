#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/engine/backends.h"
#include "core/job/event_log.h"
#include "core/job/job_directory.h"
#include "core/plan/job_plan.h"
#include "core/recon/iterative_run.h"
#include "core/scan/open_scan.h"
#include "core/work/iteration_state.h"

namespace gantry {

/// The iterations of a job: each is an event and a preview, states are kept from which a killed run
/// resumes to the same volume, and the job ends early where its folder asks for that. Used once. On
/// ranks, the first decides when, and all do it. Tests: tests/cli/test_iterative.py,
/// tests/cli/test_iterative_ranks.py
class IterativeJob {
  public:
    /// What it is part of; all outlive it.
    struct Job {
        const JobDirectory& directory;
        EventLog& events;
        const OpenScan& scan;  ///< corrected()
        const JobSpec& spec;
        const JobPlan& plan;
        std::string inputs;          ///< inputState() of the scan's files
        RankGroup* ranks = nullptr;  ///< those that iterate together; null: this process alone
    };
    /// earlier: iterations of interrupted runs
    /// @throws InputError  the state of an interrupted run is of other files, or damaged
    IterativeJob(Job job, std::vector<IterationFigures> earlier);

    /// Iterates, and writes the volume to the sink, whose owner finishes it.
    /// @returns the invalid pixels in the views of the start
    InvalidPixels run(const Backends& backends, VolumeSink& sink, const RunObserver& observer,
                      const std::stop_token& stop);

    /// All iterations of the job.
    [[nodiscard]] const std::vector<IterationFigures>& iterations() const { return m_iterations; }
    /// Why it ended.
    [[nodiscard]] const std::string& ending() const { return m_ending; }

  private:
    /// What is due after an iteration.
    struct Due {
        bool ends = false;  ///< somebody asks for the volume as it is
        bool isStateKept = false;
        bool isPreviewShown = false;
    };

    void begin(IterativeRun& run, const std::stop_token& stop);
    void iterate(IterativeRun& run, const std::stop_token& stop);
    [[nodiscard]] Due whatIsDue(IterativeRun& run) const;
    void log(const char* level, const std::string& text);
    void keepState(IterativeRun& run);
    void showPreview(IterativeRun& run);
    [[nodiscard]] bool isAskedToStop() const;

    const Job m_job;
    JobPlan m_plan;  ///< with the slabs of an interrupted run
    std::optional<IterationState> m_resumed;
    IterationState m_about;
    std::vector<IterationFigures> m_iterations;
    std::string m_ending;
    double m_stateSeconds = 0;  ///< that the last state took to be written
    std::int64_t m_stateNs = 0;
    double m_previewSeconds = 0;
    std::int64_t m_previewNs = 0;
    bool m_keepsNoState = false;  ///< as it could not be written
    const bool m_isFirst;         ///< of the ranks
};

}  // namespace gantry
