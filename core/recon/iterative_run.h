#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "core/base/file.h"
#include "core/cluster/rank_group.h"
#include "core/iterate/iteration.h"
#include "core/pipeline/runner.h"
#include "core/plan/job_plan.h"
#include "core/prep/line_integrals.h"
#include "core/project/projection_space.h"
#include "core/recon/iteration_progress.h"
#include "core/recon/rank_peers.h"
#include "core/recon/reconstruct.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// The counts of invalid pixels, in the order in which states have them.
inline constexpr Index InvalidPixels::*kInvalidCounts[] = {
    &InvalidPixels::pixels,    &InvalidPixels::zero, &InvalidPixels::negative,
    &InvalidPixels::saturated, &InvalidPixels::bad,  &InvalidPixels::notFinite,
    &InvalidPixels::zingers};

/// The ranks that have the parts of the volume; none: this process has all of it.
struct IterationRanks {
    RankGroup* group = nullptr;
    std::stop_token stop{};  ///< ends waiting for the others
};

/// The rays of the views that a scan uses, in the order of its source.
[[nodiscard]] ProjectedViews usedViews(const OpenScan& scan);

/// A volume that an iterative method corrects, one iteration after the other, with all views in
/// memory. For each: start() or resume(), then step() until it says why it ends, and read().
/// It knows neither files of the scan nor jobs. One thread at a time. With ranks, it has the part
/// of the volume that the plan gives to this one, and all ranks call the same functions, but for
/// read(), stateBytes() and save(), in the same order.
/// Tests: tests/core/recon/iterative_run_test.cpp, tests/core/recon/rank_peers_test.cpp,
///        tests/cli/test_iterative.py, tests/cli/test_iterative_ranks.py
class IterativeRun {
  public:
    /// scan: corrected(); plan: with JobPlan::iterations; all arguments outlive it. It takes the
    /// memory of the plan.
    /// @throws InputError  a volume to start from or a mask does not fit; ResourceError
    IterativeRun(const OpenScan& scan, const ReconstructionRequest& request, const JobPlan& plan,
                 const Backends& backends, const RunObserver& observer,
                 const IterationRanks& ranks = {});
    ~IterativeRun();

    /// Makes the start and loads the views.
    /// @returns the invalid pixels in the views, as far as they were counted; of ranks, all on the
    ///          first
    /// @throws InputError  views or the start have values that are not finite; Cancelled
    InvalidPixels start(const std::stop_token& stop);
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

    /// The vectors of the state, of which each rank's save() writes its part to its place, and its
    /// numbers. What is saved does not depend on the number of ranks but for rounding.
    [[nodiscard]] StateNumbers numbers() const;
    [[nodiscard]] Index stateBytes();
    void save(File& file, Index offset);
    /// The slices that this rank has.
    [[nodiscard]] IndexRange slices() const { return m_part.slices; }
    /// Slices [zBegin, zBegin + out.size(0)) of them, 1/mm; [z][y][x]
    void read(Index zBegin, Span3<float> out);
    /// The same for slices that any rank has.
    void readTogether(Index zBegin, Span3<float> out);

    [[nodiscard]] bool isFirst() const { return m_isFirst; }
    /// Each number becomes its sum over all ranks.
    void add(std::span<double> numbers);

  private:
    [[nodiscard]] std::unique_ptr<ProjectionSpace> makeSpace(const IterationRanks& ranks);
    void takeMask();
    using TakeView = std::function<void(Index view, Span3<const float> integrals)>;
    void loadViews(const std::stop_token& stop);
    /// Several threads take views at once.
    void eachView(const TakeView& take, const std::stop_token& stop);
    void takeStartFile(const std::stop_token& stop);
    InvalidPixels makeStartByFdk(const std::stop_token& stop);
    [[nodiscard]] VolumeGrid grid() const { return m_request.volume.slab(m_part.slices); }
    template <class Move>
    void forEachPart(Index offset, const Move& move);
    [[nodiscard]] Index partBytes(const IterationVector& vector) const;

    const OpenScan& m_scan;
    const ReconstructionRequest& m_request;
    const JobPlan& m_plan;
    const Backends& m_backends;
    const RunObserver& m_observer;
    const SpanSink m_span;
    Lane m_lane;
    const SpacePart m_part;
    const bool m_isFirst;
    IterationProgress m_progress;
    std::unique_ptr<RankPeers> m_peers;  // null: this process has the whole
    std::unique_ptr<ProjectionSpace> m_space;
    std::unique_ptr<Iteration> m_iteration;
};

/// reconstruct() by an iterative method, from its start to its end.
InvalidPixels reconstructIteratively(const OpenScan& scan, const ReconstructionRequest& request,
                                     const JobPlan& plan, const Backends& backends,
                                     VolumeSink& sink, const RunObserver& observer,
                                     const IterationRanks& ranks, const std::stop_token& stop);

/// Writes the run's part of the volume to a sink, chunk by chunk.
void storeVolume(IterativeRun& run, const JobPlan& plan, const VolumeGrid& grid, VolumeSink& sink,
                 const std::stop_token& stop);

/// Why iterations ended, in a sentence. isAsked: somebody asked for the volume as it was then
[[nodiscard]] std::string endText(const IterationReport& report, bool isAsked);

}  // namespace gantry
