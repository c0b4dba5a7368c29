#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "core/recon/chunk_lane.h"
#include "core/recon/run_progress.h"
#include "core/recon/view_lanes.h"

namespace gantry {

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
