#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "core/io/volume/volume_sink.h"
#include "core/job/job_directory.h"
#include "core/metrics/volume_summary.h"
#include "core/plan/job_plan.h"

namespace gantry {

/// What storing a job's volume needs: memory for the summary and its copy for the checkpoint, for
/// the preview and for writing the output's format, and disk space.
[[nodiscard]] SinkNeeds sinkNeedsOf(const JobSpec& spec);

/// The part of the volume that a store takes.
struct StoreShare {
    int rank = 0;
    std::string run{};  ///< Checkpoint::run; empty: this process makes the whole volume
    Index sharers = 1;  ///< ranks that share a slab: JobPlan::sharerCount()
    bool opens = true;  ///< this process creates the file, or opens the one of an earlier run
    /// Where another rank writes for all: makes a sink that sends it this one's slices.
    std::function<std::unique_ptr<VolumeSink>()> through{};
    bool isServed = false;  ///< another rank writes, or this one writes for all
};

/// Stores the volume of a job: its file, its summary and the checkpoint from which an interrupted
/// run resumes. A process may be killed at any instant: slabs that keepSlabs() has kept are found
/// again, and no half-written volume has the final name. Tests:
/// tests/core/work/reconstruct_test.cpp
class VolumeStore final : public VolumeSink {
  public:
    /// slabs: of this run, in order; equal to the checkpoint's if there is one.
    /// inputs: inputState() of the scan's files; engine: that made or makes the volume;
    /// choices: Checkpoint::choices
    /// share: rank 0 of several opens its store first
    /// @throws InputError, ResourceError as openSink(); InputError when the inputs have changed
    ///         since the checkpoint
    VolumeStore(const JobDirectory& job, std::vector<IndexRanges> slabs,
                const std::optional<Checkpoint>& checkpoint, std::string inputs, std::string engine,
                const ViewChoices& choices, StoreShare share = {});

    void expect(std::span<const IndexRange> slices) override {
        if (m_file) m_file->expect(slices);
    }
    void flush() override { m_file->flush(); }
    /// Removes what was written, unless a later run can resume from a kept slab.
    void discard() noexcept override;

    /// Makes these slabs survive the end of this process: all their slices are written, and some of
    /// other slabs may be. One thread at a time; others may write meanwhile. Slabs that several
    /// ranks share are kept once all of these have called it. invalid: pixels of their views,
    /// beside those reported before
    void keepSlabs(const std::vector<Index>& slabs, const InvalidPixels& invalid);

    /// Rank 0 includes what the other ranks have kept, after they have ended their work.
    /// @returns the invalid pixels that they found
    InvalidPixels takeRanks();

    [[nodiscard]] const VolumeSummary& summary() const { return *m_summary; }
    /// The sink that other ranks write through; null if the volume already has its final name.
    [[nodiscard]] VolumeSink* file() { return m_file.get(); }

  private:
    [[nodiscard]] bool hasKeptSlabs() const { return !m_checkpoint.slabs.done.empty(); }
    void put(Index zBegin, Span3<const float> voxels, int threads) override;
    void complete(int threads, const std::stop_token& stop) override;
    [[nodiscard]] std::unique_ptr<VolumeSink> openOutput() const;

    void takeSaved(const Checkpoint& checkpoint);
    [[nodiscard]] std::vector<IndexRange> slicesOf(const std::set<Index>& slabs) const;
    void addSaved(const RankCheckpoint& rank, Index sharers);
    [[nodiscard]] static std::vector<IndexRange> joined(std::vector<IndexRange> slices);
    [[nodiscard]] bool isFirst() const { return m_share.rank == 0; }
    void writeCheckpoint();

    const JobDirectory& m_job;
    const StoreShare m_share;
    Checkpoint m_checkpoint;
    RankCheckpoint m_own;                ///< what this rank keeps beside the checkpoint
    std::unique_ptr<VolumeSink> m_file;  ///< null if the volume already has its final name
    std::optional<VolumeSummary> m_summary;
    std::shared_mutex m_summaryMutex;  ///< locked shared by those that add slices
    std::mutex m_addedMutex;
    std::vector<IndexRange> m_added;  ///< slices added to the summary, where slabs are stored
                                      ///< together
};

}  // namespace gantry
