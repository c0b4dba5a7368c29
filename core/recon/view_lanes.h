#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/base/host_buffer.h"
#include "core/engine/backends.h"
#include "core/filter/cpu_filter.h"
#include "core/pipeline/batch.h"
#include "core/pipeline/ring_buffer.h"
#include "core/pipeline/runner.h"
#include "core/recon/run_setup.h"
#include "core/scan/held_views.h"
#include "core/scan/view_stages.h"

namespace gantry {

/// Where a thread sends the batches that it has finished.
struct BatchOutlet {
    std::function<void(Batch batch, const std::stop_token& stop)> push;
    std::function<void()> close;  ///< states that no more batches will come
};

/// Takes the slot of a batch that is no longer needed.
using GiveBack = std::function<void(Batch batch)>;

/// The threads of a run that read views pass by pass and, where the host does it, prepare and
/// filter them; it owns the slots that circulate between them. Tests:
/// tests/core/work/reconstruct_test.cpp, tests/core/recon/grid_run_test.cpp
class ViewLanes {
  public:
    /// backend, sink, originNs: for the devices, one of which filters views that are gathered,
    /// where the plan wants it
    ViewLanes(const RunSetup& setup, const EngineBackend& backend, SpanSink sink,
              std::int64_t originNs);

    /// Allocates the slots' memory; what devices copy is pinned. @throws ResourceError
    void makeSlots(const Pin& pin);

    /// The body of the thread that reads. @throws Cancelled, InputError
    void load(Lane& lane, const BatchOutlet& out);
    /// The outlet for load() where prepare() follows it.
    [[nodiscard]] BatchOutlet loaded();
    /// The body of the thread that prepares, and filters unless devices do so later; where the plan
    /// wants it, a device filters views that are gathered. @throws Cancelled, ResourceError
    void prepare(Lane& lane, const BatchOutlet& out);
    /// Frees the slot of a batch that has been back-projected or will not be. Never waits.
    void giveBack(Batch batch);

    /// Whether invalid pixels are found here, because the host prepares or corrects views.
    [[nodiscard]] bool countsInvalid() const {
        return m_held || m_setup.plan.handedOver != ViewState::stored;
    }
    /// The invalid pixels of that pass, once all its views are prepared.
    [[nodiscard]] const InvalidPixels& invalidIn(Index pass) const { return m_invalid[pass]; }

  private:
    void loadAll(Lane& lane, const BatchOutlet& out);
    void loadBatch(Lane& lane, Batch& batch);
    void beginHolding(Lane& lane, Index pass);
    void holdAll(Lane& lane);
    void holdViews(Lane& lane, Index pass);
    void hold(Lane& lane, Index pass, IndexRange views, Index number);
    [[nodiscard]] std::unique_ptr<ViewSteps> makeSteps(Index devices,
                                                       const ViewStepsJob& job) const;
    [[nodiscard]] std::unique_ptr<ViewFilter> makeDeviceFilter() const;
    [[nodiscard]] InvalidPixels filterOnDevice(ViewFilter& device, Batch& batch,
                                               const std::stop_token& stop) const;

    const RunSetup& m_setup;
    const EngineBackend& m_backend;
    SpanSink m_sink;
    std::int64_t m_originNs;
    ViewPreparer m_preparer;
    std::optional<HeldViews> m_held;       ///< for a scan that is corrected
    std::vector<InvalidPixels> m_invalid;  ///< by pass
    std::optional<CpuFilter> m_filter;     ///< none where devices filter
    RingBuffer<Batch> m_free;
    RingBuffer<Batch> m_loaded;
};

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
