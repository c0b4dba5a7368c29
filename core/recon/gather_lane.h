#pragma once

#include <functional>
#include <memory>

#include "core/base/host_buffer.h"
#include "core/pipeline/batch.h"
#include "core/pipeline/ring_buffer.h"
#include "core/pipeline/runner.h"
#include "core/recon/run_setup.h"
#include "core/recon/view_lanes.h"

namespace gantry {

/// The thread of a run that gathers views. Each rank of a column of the grid reads and filters a
/// part of every batch, sends every other rank the detector rows that its slab needs, and receives
/// the whole batch in its own rows. Tests: tests/core/recon/grid_run_test.cpp
class GatherLane {
  public:
    /// Called in a pass in which this rank makes nothing, once all its views are sent to others.
    using PassGiven = std::function<void(Index pass)>;

    /// giveBack: takes slots whose content was sent to all
    GatherLane(const RunSetup& setup, GiveBack giveBack, PassGiven passGiven);

    /// Allocates the slots of whole batches; it is pinned because devices copy them. @throws
    /// ResourceError
    void makeSlots(const Pin& pin);

    /// Takes batches that this rank has filtered.
    [[nodiscard]] BatchOutlet filtered();
    /// The body of the thread. @throws Cancelled, ResourceError
    void gather(Lane& lane, const BatchOutlet& out);
    /// Frees the slot of a whole batch that has been back-projected. Never waits.
    void giveBackWhole(Batch batch);

  private:
    // The memory that an exchange reads and writes.
    struct Held {
        Batch whole;
        HostBuffer<float> given;  ///< [rank of the column][s][v][u]
    };
    [[nodiscard]] Index givenFloats(const Batch& part) const;
    void exchange(const Batch& part, const std::shared_ptr<Held>& held,
                  const std::stop_token& stop);
    [[nodiscard]] Batch wholeOf(const Batch& part, Batch slot) const;

    const RunSetup& m_setup;
    GiveBack m_giveBack;
    PassGiven m_passGiven;
    RingBuffer<Batch> m_filtered;
    RingBuffer<Batch> m_free;
};

}  // namespace gantry
