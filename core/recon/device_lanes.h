#pragma once

#include <atomic>
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
#include "core/recon/view_lanes.h"

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

/// The threads of a run that back-project, two a device (the CPU is one): one adds batches to its
/// engine, the other publishes its finished slabs. All devices share a batch: each takes the rows
/// of its own slab, and the slot is freed when the last one has copied them. Tests:
/// tests/core/work/device_lanes_test.cpp
class DeviceLanes {
  public:
    /// sink, originNs: for the spans of what the devices do; see Runner
    /// giveBack: takes the slot of a batch that no device needs any more; never waits
    DeviceLanes(const RunSetup& setup, const EngineBackend& backend, GiveBack giveBack,
                ChunkLane& chunks, RunProgress& progress, SpanSink sink, std::int64_t originNs);

    /// Takes batches in the state in which the plan passes them to devices.
    [[nodiscard]] BatchOutlet outlet();
    void spawn(Runner& runner);

    /// The invalid pixels that the devices found in a pass, once all its slabs are published.
    [[nodiscard]] InvalidPixels invalidIn(Index pass) const;

  private:
    struct Device {
        explicit Device(Index slots) : batches(slots), finished(slots) {}
        RingBuffer<std::shared_ptr<const Batch>> batches;
        RingBuffer<Index> finished;  ///< slabs
        std::unique_ptr<DeviceEngine> engine;
    };

    [[nodiscard]] std::optional<Index> slabOf(std::size_t device, Index pass) const;
    [[nodiscard]] DeviceBatch rowsFor(const Batch& batch, const IndexRanges& rows) const;
    void share(Batch batch, const std::stop_token& stop);
    void addBatches(std::size_t d, const std::stop_token& stop);
    void take(std::size_t d, std::shared_ptr<const Batch> batch, const std::stop_token& stop);
    void add(DeviceEngine& engine, const Batch& batch, Index slab, const std::stop_token& stop);
    void publish(std::size_t d, const std::stop_token& stop);

    const RunSetup& m_setup;
    const EngineBackend& m_backend;
    GiveBack m_giveBack;
    ChunkLane& m_chunks;
    RunProgress& m_progress;
    SpanSink m_sink;
    std::int64_t m_originNs;
    std::vector<std::unique_ptr<Device>> m_devices;
    std::atomic<int> m_publishing{0};
    mutable std::mutex m_mutex;
    std::vector<InvalidPixels> m_invalid;  ///< one for each pass
};

}  // namespace gantry
