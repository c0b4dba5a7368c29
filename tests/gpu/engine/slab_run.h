#pragma once

#include <algorithm>
#include <thread>
#include <vector>

#include "core/backproject/cpu_kernels.h"
#include "core/base/error.h"
#include "core/base/index_ranges.h"
#include "core/filter/cpu_filter.h"
#include "core/geometry/footprint.h"
#include "core/pipeline/ring_buffer.h"
#include "core/scan/open_scan.h"
#include "core/simulate/simulate_scan.h"
#include "tests/gpu/engine/device_jobs.h"
#include "tests/support/temporary_folder.h"

namespace gantry::test {

inline constexpr int kCpuThreads = 2;
inline constexpr Index kBatch = 40;  // more than one launch takes, and no divisor of the views

// Views of a scan as they may be handed over, all rows of the detector; [s][v][u].
struct HostScan {
    std::vector<std::byte> stored;
    std::vector<float> prepared;
    std::vector<float> filtered;
    InvalidPixels invalid;
};

inline OpenScan simulated(const TemporaryFolder& folder, double detectorOffsetMm,
                          double detectorRiseMm = 2) {
    SimulationSpec spec;
    spec.geometry = circularScanOf(90, 101, 75);
    spec.geometry.detector.offsetMm = {detectorOffsetMm, detectorRiseMm};
    spec.deadPixels = 20;
    spec.photons = 2000;  // some pixels see none
    return openScan(
        readScanFile(simulateScan(spec, folder / "scan", false, {kCpuThreads, {}, {}}).scanFile));
}

inline HostScan readHost(const OpenScan& scan) {
    const SourceInfo& info = scan.source->info();
    const Index columns = scan.geometry.detector.columns;
    const Index viewBytes = info.rows * info.columns * sizeBytes(info.pixelType);
    HostScan host;
    host.stored.resize(static_cast<std::size_t>(info.views * viewBytes));
    host.prepared.resize(static_cast<std::size_t>(info.views * info.rows * columns));
    for (Index s = 0; s < info.views; ++s) {
        const auto pixels = std::span(host.stored)
                                .subspan(static_cast<std::size_t>(s * viewBytes),
                                         static_cast<std::size_t>(viewBytes));
        scan.source->readRows(s, {0, info.rows}, pixels);
        float* view = host.prepared.data() + s * info.rows * columns;
        toFloat(info.pixelType, pixels, {view, static_cast<std::size_t>(info.rows * info.columns)});
        host.invalid += toLineIntegrals(*scan.calibration, 0, {view, 1, info.rows, info.columns});
        padRowsInPlace(scan.redundancy, {view, 1, info.rows, columns});
    }
    host.filtered = host.prepared;
    CpuFilter(scan.geometry, {}, scan.redundancy, kCpuThreads)
        .apply({host.filtered.data(), info.views, info.rows, columns}, 0, 0, {});
    return host;
}

inline std::vector<float> madeByCpu(const OpenScan& scan, const HostScan& host,
                                    const VolumeGrid& grid) {
    const auto projector = makeCpuColumnsBackProjector(kCpuThreads);
    const auto& detector = scan.geometry.detector;
    projector->begin(grid, {0, grid.voxels[2]});
    projector->add({{host.filtered.data(), scan.geometry.views, detector.rows, detector.columns},
                    0,
                    scan.geometry.matrices},
                   {});
    std::vector<float> volume(static_cast<std::size_t>(grid.count()));
    projector->read({0, grid.voxels[2]},
                    {volume.data(), grid.voxels[2], grid.voxels[1], grid.voxels[0]});
    return volume;
}

// Feeds an engine slab by slab, as a run does, and reads finished slabs on another thread.
class SlabRun {
  public:
    // Slabs of as many slices as the job allows, lowest first.
    SlabRun(DeviceEngine& engine, const DeviceJob& job, const HostScan& host)
        : SlabRun(engine, job, host, upwards(job)) {}
    SlabRun(DeviceEngine& engine, const DeviceJob& job, const HostScan& host,
            std::vector<IndexRanges> slabs)
        : m_engine(engine),
          m_job(job),
          m_host(host),
          m_slabs(std::move(slabs)),
          m_volume(static_cast<std::size_t>(job.volume.count())) {}

    std::vector<float> make() {
        RingBuffer<Index> finished(100);
        std::jthread reader([&](const std::stop_token& stop) {
            try {
                while (const auto slab = finished.pop(stop))
                    readSlab(*slab);
            } catch (const Cancelled&) {
            }
        });
        IndexRange counted = {0, m_job.acquisition->stored.rows};
        for (Index slab = 0; slab < std::ssize(m_slabs); ++slab) {
            const IndexRanges rows = rowsOf(slicesOf(slab));
            m_engine.begin(slab, slicesOf(slab), counted, {});
            for (Index first = 0; first < m_job.acquisition->geometry.views;
                 first += m_job.batchViews)
                addBatch(first, rows);
            m_engine.finish();
            finished.push(slab, {});
            // Pairs come from the outermost inwards.
            counted.begin = std::max(counted.begin, rows.parts().front().end);
            if (rows.parts().size() == 2)
                counted.end = std::min(counted.end, rows.parts()[1].begin);
        }
        finished.close();
        reader.join();
        return m_volume;
    }

    [[nodiscard]] const InvalidPixels& invalid() const { return m_invalid; }

  private:
    static std::vector<IndexRanges> upwards(const DeviceJob& job) {
        std::vector<IndexRanges> slabs;
        const Index nZ = job.volume.voxels[2];
        for (Index z = 0; z < nZ; z += job.maxSlices)
            slabs.emplace_back(z, std::min(z + job.maxSlices, nZ));
        return slabs;
    }
    [[nodiscard]] const IndexRanges& slicesOf(Index slab) const {
        return m_slabs[static_cast<std::size_t>(slab)];
    }
    [[nodiscard]] IndexRanges rowsOf(const IndexRanges& slices) const {
        std::vector<IndexRange> rows;
        for (const IndexRange& part : slices.parts())
            rows.push_back(footprintRows(m_job.acquisition->geometry, m_job.volume, part));
        return unionOf(std::move(rows));
    }

    void addBatch(Index first, const IndexRanges& rows) {
        const AlignedViews& geometry = m_job.acquisition->geometry;
        const SourceInfo& info = m_job.acquisition->stored;
        DeviceBatch batch;
        batch.number = first / m_job.batchViews;
        batch.views = {first, std::min(first + m_job.batchViews, geometry.views)};
        const std::byte* all = m_host.stored.data();
        batch.rowBytes = geometry.detector.columns * Index{sizeof(float)};
        if (m_job.handedOver == ViewState::stored)
            batch.rowBytes = info.columns * sizeBytes(info.pixelType);
        else
            all = reinterpret_cast<const std::byte*>(m_job.handedOver == ViewState::prepared
                                                         ? m_host.prepared.data()
                                                         : m_host.filtered.data());
        const Index stride = info.rows * batch.rowBytes;
        for (std::size_t i = 0; i < rows.parts().size(); ++i) {
            const IndexRange part = rows.parts()[i];
            batch.rowBlocks[i] = {part, all + first * stride + part.begin * batch.rowBytes, stride};
        }
        m_engine.add(batch, {});
    }

    void readSlab(Index slab) {
        const auto [nX, nY, nZ] = m_job.volume.voxels;
        for (const IndexRange& slices : slicesOf(slab).parts())
            for (Index z = slices.begin; z < slices.end; z += m_job.chunkSlices) {
                const IndexRange chunk = {z, std::min(z + m_job.chunkSlices, slices.end)};
                m_engine.read(slab, chunk, {m_volume.data() + z * nX * nY, chunk.size(), nY, nX});
            }
        m_invalid += m_engine.release(slab);
    }

    DeviceEngine& m_engine;
    const DeviceJob& m_job;
    const HostScan& m_host;
    std::vector<IndexRanges> m_slabs;
    std::vector<float> m_volume;
    InvalidPixels m_invalid;
};

}  // namespace gantry::test
