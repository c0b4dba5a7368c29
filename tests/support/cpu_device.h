#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/backproject/cpu_kernels.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/filter/cpu_filter.h"
#include "core/prep/line_integrals.h"
#include "core/scan/view_stages.h"
#include "tests/support/fake_gpus.h"

namespace gantry::test {

/// A "device" that does on the CPU what a GPU does, and how it is to behave.
struct CpuDeviceSpec {
    double updatesPerSecond = 1e9;
    Index freeBytes = 1'000'000'000;
    Index failAtSlab = -1;  ///< the device is lost in the middle of that slab
    std::function<void()> beforeFailing{};
};

/// What the devices of a test saw.
struct CpuDeviceLog {
    std::atomic<int> pinned{0};  ///< pieces of memory, now
    std::atomic<int> pins{0};    ///< in all
    std::mutex mutex;
    std::map<int, std::vector<IndexRanges>> slabs;  ///< slices made, by device
    std::vector<DeviceJob> jobs;
};

/// Checks that it is used as core/engine/device_engine.h says.
class CpuDevice final : public DeviceEngine {
  public:
    CpuDevice(int number, const CpuDeviceSpec& spec, DeviceJob job, CpuDeviceLog& log,
              SpanSink sink, std::int64_t originNs)
        : m_number(number),
          m_spec(spec),
          m_job(std::move(job)),
          m_log(log),
          m_sink(std::move(sink)),
          m_originNs(originNs),
          m_preparer(*m_job.acquisition, 1),
          m_filter(m_job.acquisition->geometry, m_job.filter, m_job.acquisition->redundancy, 1),
          m_matrices(m_job.acquisition->geometry.matrices) {}

    void begin(Index slab, const IndexRanges& slices, IndexRange counted,
               const std::stop_token& stop) override {
        EXPECT_LE(slices.size(), m_job.maxSlices);
        std::unique_lock lock(m_mutex);
        if (!m_changed.wait(lock, stop,
                            [&] { return static_cast<int>(m_held.size()) < m_job.slabsAtOnce; }))
            throw Cancelled();
        m_slab = slab;
        m_slices = slices;
        m_held[slab];
        m_counted = counted;
        m_invalid = {};
        for (std::size_t i = 0; i < slices.parts().size(); ++i) {
            if (!m_parts[i])
                m_parts[i] = m_job.acquisition->geometry.areAligned()
                                 ? makeCpuColumnsBackProjector(1)
                                 : makeCpuGeneralBackProjector(1);
            m_parts[i]->begin(m_job.volume, slices.parts()[i]);
        }
        m_viewsAdded.reset();
    }

    void add(const DeviceBatch& batch, const std::stop_token& stop) override {
        EXPECT_EQ(batch.views.begin, m_viewsAdded.value_or(batch.views.begin));
        EXPECT_LE(batch.views.size(), m_job.batchViews);
        EXPECT_LE(batch.rowCount(), m_job.maxRows);
        EXPECT_LE(batch.blocks().size(), m_slices.parts().size());
        for (const RowBlock& block : batch.blocks()) {
            EXPECT_GT(block.rows.size(), 0);
            EXPECT_GE(block.viewStrideBytes, block.rows.size() * batch.rowBytes);
        }
        if (m_slab == m_spec.failAtSlab && m_viewsAdded) {
            m_spec.beforeFailing();
            throw ResourceError("the device was lost");
        }
        const std::int64_t beginNs = nowNs();
        Batch views = uploaded(batch);
        const Index columns = m_job.acquisition->geometry.detector.columns;
        if (m_job.handedOver == ViewState::stored) m_invalid += m_preparer.prepare(views, stop);
        if (m_job.handedOver != ViewState::filtered) filterViews(m_filter, views, columns, stop);
        const auto matrices = std::span<const ProjectionMatrix>(m_matrices)
                                  .subspan(static_cast<std::size_t>(views.views.begin),
                                           static_cast<std::size_t>(views.views.size()));
        for (std::size_t i = 0; i < m_slices.parts().size(); ++i) {
            const std::size_t block = batch.blocks().size() == 2 ? i : 0;
            m_parts[i]->add(
                {views.valueBlock(block, columns), views.rows.parts()[block].begin, matrices},
                stop);
        }
        m_viewsAdded = batch.views.end;
        m_sink({0, "GPU " + std::to_string(m_number), Stage::backproject, beginNs - m_originNs,
                nowNs() - m_originNs, m_slab, batch.number,
                batch.views.size() * batch.rowCount() * columns * 4,
                m_slices.size() * m_job.volume.voxels[0] * m_job.volume.voxels[1] *
                    batch.views.size()});
    }

    void finish() override {
        Slab made{m_slices, HostBuffer<float>(m_slices.size() * sliceVoxels()), {}};
        for (std::size_t i = 0; i < m_slices.parts().size(); ++i) {
            const IndexRange part = m_slices.parts()[i];
            m_parts[i]->read(part, {made.at(part.begin, sliceVoxels()), part.size(),
                                    m_job.volume.voxels[1], m_job.volume.voxels[0]});
        }
        made.invalid = m_invalid;
        {
            const std::scoped_lock lock(m_log.mutex);
            m_log.slabs[m_number].push_back(m_slices);
        }
        const std::scoped_lock lock(m_mutex);
        m_held[m_slab] = std::move(made);
    }

    void read(Index slab, IndexRange slices, Span3<float> out) override {
        EXPECT_LE(slices.size(), m_job.chunkSlices);
        const std::scoped_lock lock(m_mutex);
        std::copy_n(m_held.at(slab).at(slices.begin, sliceVoxels()), out.count(), out.data());
    }

    InvalidPixels release(Index slab) override {
        InvalidPixels invalid;
        {
            const std::scoped_lock lock(m_mutex);
            invalid = m_held.at(slab).invalid;
            m_held.erase(slab);
        }
        m_changed.notify_all();
        return invalid;
    }

  private:
    struct Slab {
        IndexRanges slices;
        HostBuffer<float> voxels;
        InvalidPixels invalid;

        // Where a slice begins: the two ranges lie one behind the other.
        float* at(Index slice, Index sliceVoxels) {
            const IndexRange lower = slices.parts()[0];
            const Index before = lower.contains(slice)
                                     ? slice - lower.begin
                                     : lower.size() + slice - slices.parts()[1].begin;
            return voxels.data() + before * sliceVoxels;
        }
    };
    [[nodiscard]] Index sliceVoxels() const {
        return m_job.volume.voxels[0] * m_job.volume.voxels[1];
    }

    // The rows without what lies between them in the host's memory.
    Batch uploaded(const DeviceBatch& part) const {
        Batch batch;
        batch.views = part.views;
        const auto blocks = part.blocks();
        batch.rows = batch.storedRows = blocks.size() == 2
                                            ? IndexRanges(blocks[0].rows, blocks[1].rows)
                                            : IndexRanges(blocks[0].rows);
        batch.counted = m_counted;
        const bool isStored = m_job.handedOver == ViewState::stored;
        const Index rows = part.views.size() * part.rowCount();
        batch.values = HostBuffer<float>(rows * m_job.acquisition->geometry.detector.columns);
        if (isStored) batch.stored = HostBuffer<std::byte>(rows * part.rowBytes);
        auto* to =
            isStored ? batch.stored.data() : reinterpret_cast<std::byte*>(batch.values.data());
        for (const RowBlock& block : blocks)
            for (Index s = 0; s < part.views.size(); ++s) {
                const Index bytes = block.rows.size() * part.rowBytes;
                std::memcpy(to, block.first + s * block.viewStrideBytes,
                            static_cast<std::size_t>(bytes));
                to += bytes;
            }
        return batch;
    }

    int m_number;
    CpuDeviceSpec m_spec;
    DeviceJob m_job;
    CpuDeviceLog& m_log;
    SpanSink m_sink;
    std::int64_t m_originNs;
    ViewPreparer m_preparer;
    std::array<std::unique_ptr<BackProjector>, 2> m_parts;  ///< one a range of the slab
    CpuFilter m_filter;
    std::vector<ProjectionMatrix> m_matrices;
    IndexRange m_counted;
    InvalidPixels m_invalid;  ///< in the slab at hand
    Index m_slab = -1;
    IndexRanges m_slices;
    std::optional<Index> m_viewsAdded;  ///< to the slab: where they end
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::map<Index, Slab> m_held;
};

/// Filters as such a device does, and hands the views back.
class CpuViewFilter final : public ViewFilter {
  public:
    CpuViewFilter(int number, DeviceJob job, SpanSink sink, std::int64_t originNs)
        : m_number(number),
          m_job(std::move(job)),
          m_sink(std::move(sink)),
          m_originNs(originNs),
          m_preparer(*m_job.acquisition, 1),
          m_filter(m_job.acquisition->geometry, m_job.filter, m_job.acquisition->redundancy, 1) {}

    InvalidPixels apply(const DeviceBatch& part, IndexRange counted, Span3<float> out,
                        const std::stop_token& stop) override {
        EXPECT_EQ(part.blocks().size(), 1U);
        EXPECT_LE(part.views.size(), m_job.batchViews);
        EXPECT_LE(part.rowCount(), m_job.maxRows);
        EXPECT_EQ(out.size(0), part.views.size());
        EXPECT_EQ(out.size(1), part.rowCount());
        const std::int64_t beginNs = nowNs();
        Batch batch;
        batch.views = part.views;
        batch.rows = batch.storedRows = part.rowBlocks[0].rows;
        batch.counted = counted;
        batch.values = HostBuffer<float>(out.count());
        const bool isStored = m_job.handedOver == ViewState::stored;
        const auto bytes =
            static_cast<std::size_t>(part.views.size() * part.rowCount() * part.rowBytes);
        if (isStored) batch.stored = HostBuffer<std::byte>(static_cast<Index>(bytes));
        std::memcpy(isStored ? static_cast<void*>(batch.stored.data()) : batch.values.data(),
                    part.rowBlocks[0].first, bytes);
        InvalidPixels invalid;
        if (isStored) invalid = m_preparer.prepare(batch, stop);
        filterViews(m_filter, batch, out.size(2), stop);
        std::copy_n(batch.values.data(), out.count(), out.data());
        m_sink({0, "GPU " + std::to_string(m_number) + " filter", Stage::filter,
                beginNs - m_originNs, nowNs() - m_originNs, 0, part.number, out.count() * 4, 0});
        return invalid;
    }

  private:
    int m_number;
    DeviceJob m_job;
    SpanSink m_sink;
    std::int64_t m_originNs;
    ViewPreparer m_preparer;
    CpuFilter m_filter;
};

/// `log` outlives it.
inline EngineBackend cpuDevices(const std::vector<CpuDeviceSpec>& specs, CpuDeviceLog& log) {
    EngineBackend gpu;
    for (std::size_t i = 0; i < specs.size(); ++i)
        gpu.info.devices.push_back(
            {static_cast<int>(i), "Test 1", specs[i].freeBytes, specs[i].freeBytes});
    gpu.info.kernels = testGpuKernels();
    gpu.whyNoFilter = [](int) { return std::string(); };
    gpu.info.bytesNeeded = [](const DeviceJob& job) {
        const Index voxels = job.maxSlices * job.volume.voxels[0] * job.volume.voxels[1];
        const Index pixels =
            job.batchViews * job.maxRows * job.acquisition->geometry.detector.columns;
        return (job.slabsAtOnce * voxels + 2 * pixels) * Index{sizeof(float)};
    };
    gpu.chooseKernel = [specs](int device, const DeviceJob& job, bool fast) {
        return testGpuChoice(job.kernel, fast,
                             specs[static_cast<std::size_t>(device)].updatesPerSecond,
                             job.acquisition->geometry.areAligned());
    };
    gpu.measure = [](int, const DeviceJob&) { return DeviceRates{1e10, 1e10, 1e10, 1e9}; };
    gpu.makeEngine = [specs, &log](int device, const DeviceJob& job, const SpanSink& sink,
                                   std::int64_t originNs) {
        {
            const std::scoped_lock lock(log.mutex);
            log.jobs.push_back(job);
        }
        return std::make_unique<CpuDevice>(device, specs[static_cast<std::size_t>(device)], job,
                                           log, sink, originNs);
    };
    gpu.info.viewFilterBytes = [](const DeviceJob& job) {
        return 2 * job.batchViews * job.maxRows * job.acquisition->geometry.detector.columns *
               Index{sizeof(float)};
    };
    gpu.makeViewFilter = [](int device, const DeviceJob& job, const SpanSink& sink,
                            std::int64_t originNs) {
        return std::make_unique<CpuViewFilter>(device, job, sink, originNs);
    };
    gpu.pin = [&log](void*, Index) {
        ++log.pinned;
        ++log.pins;
        return std::shared_ptr<void>(&log,
                                     [](void* of) { --static_cast<CpuDeviceLog*>(of)->pinned; });
    };
    return gpu;
}

}  // namespace gantry::test
