#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "core/base/file.h"
#include "core/iterate/iteration.h"
#include "core/pipeline/runner.h"
#include "core/plan/job_plan.h"
#include "core/project/host_space.h"
#include "core/recon/iteration_progress.h"
#include "core/recon/reconstruct.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// A volume that an iterative method corrects, one iteration after the other, with all views in
/// memory. For each: start() or resume(), then step() until it says why it ends, and read().
/// It knows neither files of the scan nor jobs. One thread at a time.
/// Tests: tests/core/recon/iterative_run_test.cpp, tests/cli/test_iterative.py
class IterativeRun {
  public:
    /// scan: corrected(); plan: with JobPlan::iterations; all arguments outlive it. It takes the
    /// memory of the plan.
    /// @throws InputError  a volume to start from or a mask does not fit; ResourceError
    IterativeRun(const OpenScan& scan, const ReconstructionRequest& request, const JobPlan& plan,
                 const RunObserver& observer);
    ~IterativeRun();

    /// Makes the start and loads the views.
    /// @returns the invalid pixels in the views, as far as they were counted
    /// @throws InputError  views or the start have values that are not finite; Cancelled
    InvalidPixels start(const Backends& backends, const std::stop_token& stop);
    /// What save() wrote at this place of a file, and numbers() beside it.
    struct Saved {
        const File& file;
        Index offset;
        const StateNumbers& numbers;
        Index iteration;  ///< the last one in it
    };
    /// Loads the views, and goes on from there.
    void resume(const Saved& saved, const std::stop_token& stop);
    /// @throws InputError where it diverges; Cancelled, after which nothing can be saved
    IterationReport step(const std::stop_token& stop);
    [[nodiscard]] const IterationReport& report() const;

    /// The vectors of the state, which save() writes, and its numbers.
    [[nodiscard]] StateNumbers numbers() const;
    [[nodiscard]] Index stateBytes();
    void save(File& file, Index offset);
    /// Slices [zBegin, zBegin + out.size(0)) of the volume, 1/mm; [z][y][x]
    void read(Index zBegin, Span3<float> out);

  private:
    void takeMask();
    void loadViews(const std::stop_token& stop);
    void takeStartFile(const std::stop_token& stop);
    InvalidPixels makeStartByFdk(const Backends& backends, const std::stop_token& stop);

    const OpenScan& m_scan;
    const ReconstructionRequest& m_request;
    const JobPlan& m_plan;
    const RunObserver& m_observer;
    const SpanSink m_span;
    Lane m_lane;
    IterationProgress m_progress;
    std::unique_ptr<HostSpace> m_space;
    std::unique_ptr<Iteration> m_iteration;
};

/// reconstruct() by an iterative method, from its start to its end.
InvalidPixels reconstructIteratively(const OpenScan& scan, const ReconstructionRequest& request,
                                     const JobPlan& plan, const Backends& backends,
                                     VolumeSink& sink, const RunObserver& observer,
                                     const std::stop_token& stop);

/// Writes the run's volume to a sink, chunk by chunk.
void storeVolume(IterativeRun& run, const JobPlan& plan, const VolumeGrid& grid, VolumeSink& sink,
                 const std::stop_token& stop);

/// Why iterations ended, in a sentence. isAsked: somebody asked for the volume as it was then
[[nodiscard]] std::string endText(const IterationReport& report, bool isAsked);

}  // namespace gantry
