#pragma once

#include <memory>
#include <optional>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "core/io/volume/volume_sink.h"
#include "core/recon/job_directory.h"
#include "core/recon/volume_summary.h"

namespace gantry {

/// The volume of a job on its way to disk: its sink, its summary and the checkpoint from which an
/// interrupted run goes on. A process may be killed at any instant: what keepSlab() kept is found
/// again, and no half-written volume has the final name.
/// Tests: tests/core/recon/reconstruct_test.cpp
class VolumeStore {
  public:
    /// slabs: of this run, in order; equal to the checkpoint's where there is one.
    /// inputs: inputState() of the scan's files; engine: that made or makes the volume
    /// @throws InputError, ResourceError as openSink(); InputError when the inputs have changed
    /// since
    ///         the checkpoint
    VolumeStore(const JobDirectory& job, std::vector<IndexRange> slabs,
                const std::optional<Checkpoint>& checkpoint, std::string inputs,
                std::string engine);

    /// Slabs that an interrupted run has stored already.
    [[nodiscard]] Index slabsKept() const { return m_checkpoint.slabsDone; }

    /// voxels: slices from zBegin on, [z][y][x]. Slices come in any order, from several threads.
    void write(Index zBegin, Span3<const float> voxels, int threads);
    /// From here on this slab and those below it survive the end of this process: all their slices
    /// are written, and some above may be. From one thread at a time; others may write meanwhile.
    void keepSlab(Index slab, const GateProgress& gated);
    /// Gives the complete volume its final name, with up to that many threads.
    /// @throws as VolumeSink::finish()
    void finish(int threads, const std::stop_token& stop);
    /// Removes what was written, unless a kept slab lets a later run go on from it.
    void abandon() noexcept;

    [[nodiscard]] const VolumeSummary& summary() const { return *m_summary; }

  private:
    [[nodiscard]] std::unique_ptr<VolumeSink> openOutput() const;

    const JobDirectory& m_job;
    Checkpoint m_checkpoint;
    std::unique_ptr<VolumeSink> m_sink;  ///< none where the volume has its final name already
    std::optional<VolumeSummary> m_summary;
    std::shared_mutex m_summaryMutex;  ///< shared by those that add slices
};

}  // namespace gantry
