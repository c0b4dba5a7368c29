#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/pipeline/ring_buffer.h"
#include "core/pipeline/runner.h"
#include "core/recon/planned_job.h"
#include "core/recon/volume_store.h"

namespace gantry {

/// Finished slices on their way from back-projectors to the store, in chunks that are written while
/// the next are copied. Slabs may come from several threads and in any order.
/// Tests: tests/core/recon/reconstruct_test.cpp, tests/core/recon/device_lanes_test.cpp
class ChunkLane {
  public:
    /// Copies slices of a slab. out: [z][y][x]
    using Read = std::function<void(IndexRange slices, Span3<float> out)>;

    ChunkLane(const PlannedJob& job, VolumeStore& store);

    /// Takes the slots' memory, pinned. @throws ResourceError
    void makeSlots(const Pin& pin);

    /// Hands a finished slab's slices on, from the lowest up. `afterLast`, if there is one, is
    /// called when all are copied and not yet all handed on. @throws Cancelled, what these throw
    void handOn(Index slab, const std::stop_token& stop, const Read& read,
                const std::function<void()>& afterLast = {});
    /// No more slabs will come.
    void close() { m_finished.close(); }

    /// Stores chunks as they come: the body of JobPlan::storeLanes lanes. When all slabs of a pass
    /// and of those before it are stored, they are kept for a run that goes on later, with what was
    /// gated for them. @throws Cancelled, ResourceError, InputError
    void store(Lane& lane, const std::function<GateProgress(Index pass)>& gated);

  private:
    struct Chunk {
        Index slab = 0;
        IndexRange slices;
        HostBuffer<float> voxels;
        std::shared_ptr<void> pinned;  ///< let go before the memory is
    };
    void keepPasses(Index slab, Index slices, const std::function<GateProgress(Index)>& gated);

    const PlannedJob& m_job;
    VolumeStore& m_store;
    RingBuffer<Chunk> m_free;
    RingBuffer<Chunk> m_finished;
    std::mutex m_keepMutex;           ///< of what follows
    std::vector<Index> m_slicesLeft;  ///< to be stored, by pass
    Index m_passesKept = 0;
    bool m_isKeeping = false;  ///< by one of the lanes
};

}  // namespace gantry
