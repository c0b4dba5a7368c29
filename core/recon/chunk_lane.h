#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/io/volume/volume_sink.h"
#include "core/pipeline/ring_buffer.h"
#include "core/pipeline/runner.h"
#include "core/recon/run_setup.h"

namespace gantry {

/// Carries finished slices from back-projectors to the store, in chunks that are written while the
/// next are copied. Slabs may come from several threads and in any order. Where several ranks add
/// views to the same slabs, chunks are summed on the way, and slabs come from one thread.
/// Tests: tests/core/work/reconstruct_test.cpp, tests/core/work/device_lanes_test.cpp,
///        tests/core/recon/grid_run_test.cpp
class ChunkLane {
  public:
    /// Copies slices of a slab. out: [z][y][x]
    using Read = std::function<void(IndexRange slices, Span3<float> out)>;

    ChunkLane(const RunSetup& setup, VolumeSink& sink);

    /// Allocates the slots' memory, pinned. @throws ResourceError
    void makeSlots(const Pin& pin);

    /// Copies a finished slab's slices, from the lowest up, and publishes them to the store.
    /// `afterLast` is called once all are copied, when some may not be published yet. @throws
    /// Cancelled, what these throw
    void publish(Index slab, const std::stop_token& stop, const Read& read,
                 const std::function<void()>& afterLast);
    /// States that no more slabs will come.
    void close() { isSummed() ? m_partial.close() : m_finished.close(); }

    /// Whether a thread has to run sum().
    [[nodiscard]] bool isSummed() const { return m_setup.groups.row != nullptr; }
    /// Sums chunks with those of the other ranks of the row, in the order of their columns, so that
    /// each rank has a part of every chunk to store. It is the body of one thread. @throws
    /// Cancelled, ResourceError
    void sum(Lane& lane);

    /// Called when all slabs of a pass are stored.
    using PassStored = std::function<void(Index pass)>;

    /// Stores chunks as they come; it is the body of JobPlan::storeLanes threads. One thread at a
    /// time reports passes. @throws Cancelled, ResourceError, InputError
    void store(Lane& lane, const PassStored& passStored);

  private:
    struct Chunk {
        Index slab = 0;
        IndexRange slices;
        Index number = 0;   ///< within its slab
        IndexRange stored;  ///< the part of the slices that this rank stores
        HostBuffer<float> voxels;
        std::shared_ptr<void> pinned;  ///< released before `voxels`
    };
    using Pieces = std::vector<HostBuffer<float>>;
    void sumWithRow(Chunk& chunk, Pieces& taken, std::shared_ptr<const void> memory,
                    const std::stop_token& stop);
    void reportStored(Index slab, Index slices, const PassStored& passStored);

    const RunSetup& m_setup;
    VolumeSink& m_sink;
    RingBuffer<Chunk> m_free;
    RingBuffer<Chunk> m_partial;  ///< on their way to sum()
    RingBuffer<Chunk> m_finished;
    std::mutex m_passMutex;           ///< guards the members below
    std::vector<Index> m_slicesLeft;  ///< slices still to be stored, by pass
    std::deque<Index> m_stored;       ///< stored passes that are not reported yet
    bool m_isReporting = false;       ///< one of the threads is reporting
};

}  // namespace gantry
