#include "gpu/engine/gpu_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "core/backproject/cpu_columns.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/filter/cpu_filter.h"
#include "core/geometry/footprint.h"
#include "core/pipeline/ring_buffer.h"
#include "core/scan/open_scan.h"
#include "core/simulate/simulate_scan.h"
#include "gpu/device/cuda_check.h"
#include "gpu/device/device_buffer.h"
#include "gpu/engine/gpu_filter.h"
#include "tests/core/backproject/back_projection.h"
#include "tests/gpu/engine/device_jobs.h"
#include "tests/gpu/support/device.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using test::relativeRmse;

constexpr int kCpuThreads = 2;
constexpr Index kBatch = 40;  // more than one launch takes, and no divisor of the views

// Views of a scan as they may be handed over, all rows of the detector; [s][v][u].
struct HostScan {
    std::vector<std::byte> stored;
    std::vector<float> prepared;
    std::vector<float> filtered;
    InvalidPixels invalid;
};

OpenScan simulated(const test::TemporaryFolder& folder, double detectorOffsetMm) {
    SimulationSpec spec;
    spec.geometry = test::circularScanOf(90, 101, 75);
    spec.geometry.detector.offsetMm = {detectorOffsetMm, 2};
    spec.deadPixels = 20;
    spec.photons = 2000;  // some pixels see none
    return openScan(
        readScanFile(simulateScan(spec, folder / "scan", false, {kCpuThreads, {}, {}}).scanFile));
}

HostScan readHost(const OpenScan& scan) {
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
    makeCpuFilter(scan.geometry, {}, scan.redundancy, kCpuThreads)
        ->apply({host.filtered.data(), info.views, info.rows, columns}, 0, 0, {});
    return host;
}

std::vector<float> madeByCpu(const OpenScan& scan, const HostScan& host, const VolumeGrid& grid) {
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
    SlabRun(DeviceEngine& engine, const DeviceJob& job, const HostScan& host)
        : m_engine(engine),
          m_job(job),
          m_host(host),
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
        Index countFrom = 0;
        for (Index slab = 0; slicesOf(slab).size() > 0; ++slab) {
            const IndexRange rows =
                footprintRows(m_job.acquisition->geometry, m_job.volume, slicesOf(slab));
            m_engine.begin(slab, slicesOf(slab), {countFrom, m_job.acquisition->stored.rows}, {});
            for (Index first = 0; first < m_job.acquisition->geometry.views; first += kBatch)
                addBatch(first, rows);
            m_engine.finish();
            finished.push(slab, {});
            countFrom = std::max(countFrom, rows.end);
        }
        finished.close();
        reader.join();
        return m_volume;
    }

    [[nodiscard]] const InvalidPixels& invalid() const { return m_invalid; }

  private:
    [[nodiscard]] IndexRange slicesOf(Index slab) const {
        const Index nZ = m_job.volume.voxels[2];
        return {std::min(slab * m_job.mostSlices, nZ), std::min((slab + 1) * m_job.mostSlices, nZ)};
    }

    void addBatch(Index first, IndexRange rows) {
        const AlignedViews& geometry = m_job.acquisition->geometry;
        const SourceInfo& info = m_job.acquisition->stored;
        DeviceBatch batch;
        batch.number = first / kBatch;
        batch.views = {first, std::min(first + kBatch, geometry.views)};
        const std::byte* all = m_host.stored.data();
        batch.rowBytes = geometry.detector.columns * Index{sizeof(float)};
        if (m_job.handedOver == ViewState::stored)
            batch.rowBytes = info.columns * sizeBytes(info.pixelType);
        else
            all = reinterpret_cast<const std::byte*>(m_job.handedOver == ViewState::prepared
                                                         ? m_host.prepared.data()
                                                         : m_host.filtered.data());
        const Index stride = info.rows * batch.rowBytes;
        batch.rowBlocks[0] = {rows, all + first * stride + rows.begin * batch.rowBytes, stride};
        m_engine.add(batch, {});
    }

    void readSlab(Index slab) {
        const auto [nX, nY, nZ] = m_job.volume.voxels;
        const IndexRange slices = slicesOf(slab);
        for (Index z = slices.begin; z < slices.end; z += m_job.chunkSlices) {
            const IndexRange chunk = {z, std::min(z + m_job.chunkSlices, slices.end)};
            m_engine.read(slab, chunk, {m_volume.data() + z * nX * nY, chunk.size(), nY, nX});
        }
        m_invalid += m_engine.release(slab);
    }

    DeviceEngine& m_engine;
    const DeviceJob& m_job;
    const HostScan& m_host;
    std::vector<float> m_volume;
    InvalidPixels m_invalid;
};

class GpuEngineTest : public testing::Test {
  protected:
    void SetUp() override {
        GANTRY_NEEDS_DEVICE();
        makeCurrent(test::testDevice().number);
    }

    // Slabs of 13 slices: none is its own mirror image, and the last is smaller.
    [[nodiscard]] static DeviceJob jobFor(const Acquisition& scan, ViewState state,
                                          const std::string& kernel) {
        DeviceJob job = test::jobOn(scan, 45);
        job.handedOver = state;
        job.kernel = kernel;
        job.batchViews = kBatch;
        job.mostSlices = 13;
        job.chunkSlices = 5;
        return job;
    }

    [[nodiscard]] static std::unique_ptr<DeviceEngine> make(const DeviceJob& job,
                                                            SpanSink sink = nullptr) {
        if (!sink) sink = [](const TimelineSpan&) {};
        return makeGpuEngine(test::testDevice(), job, std::move(sink), nowNs());
    }

    const test::TemporaryFolder m_folder;
};

TEST_F(GpuEngineTest, MakesTheCpusVolumeWhereverTheViewsAreFiltered) {
    for (const double offsetMm : {0.0, 60.0}) {
        const test::TemporaryFolder folder;
        const OpenScan scan = simulated(folder, offsetMm);
        const HostScan host = readHost(scan);
        const auto expected = madeByCpu(scan, host, test::jobOn(scan, 45).volume);
        for (const ViewState state : {ViewState::filtered, ViewState::prepared, ViewState::stored})
            for (const char* kernel : {"tile", "standard", "l1-tran"}) {
                if (state != ViewState::filtered && !whyNoCufft().empty()) continue;
                const DeviceJob job = jobFor(scan, state, kernel);
                const auto engine = make(job);
                SlabRun run(*engine, job, host);
                // What any order of single precision sums may differ by.
                EXPECT_LT(relativeRmse(run.make(), expected), 1e-5)
                    << kernel << ", state " << static_cast<int>(state);
                EXPECT_EQ(run.invalid(),
                          state == ViewState::stored ? host.invalid : InvalidPixels())
                    << kernel;
            }
    }
}

TEST_F(GpuEngineTest, PinnedAndPageableMemoryGiveTheSame) {
    const OpenScan scan = simulated(m_folder, 0);
    const HostScan host = readHost(scan);
    const DeviceJob job = jobFor(scan, ViewState::filtered, "l1-tran");
    const auto engine = make(job);
    const auto [nX, nY, nZ] = job.volume.voxels;
    engine->begin(0, {3, 11}, {}, {});
    DeviceBatch batch;
    batch.views = {0, kBatch};
    batch.rowBytes = scan.geometry.detector.columns * Index{sizeof(float)};
    batch.rowBlocks[0] = {
        {0, 75}, reinterpret_cast<const std::byte*>(host.filtered.data()), 75 * batch.rowBytes};
    engine->add(batch, {});
    engine->finish();
    std::vector<float> pageable(static_cast<std::size_t>(8 * nX * nY));
    std::vector<float> pinned(pageable.size());
    const PinnedRegion region(pinned.data(), static_cast<Index>(pinned.size() * sizeof(float)));
    engine->read(0, {3, 8}, {pageable.data(), 5, nY, nX});
    engine->read(0, {8, 11}, {pageable.data() + 5 * nX * nY, 3, nY, nX});
    engine->read(0, {3, 8}, {pinned.data(), 5, nY, nX});
    engine->read(0, {8, 11}, {pinned.data() + 5 * nX * nY, 3, nY, nX});
    EXPECT_EQ(pageable, pinned);
    EXPECT_NE(pageable, std::vector<float>(pageable.size()));
}

TEST_F(GpuEngineTest, TellsWhatTheDeviceDidInOrderAndOnTheHostsClock) {
    const OpenScan scan = simulated(m_folder, 0);
    const HostScan host = readHost(scan);
    const DeviceJob job = jobFor(scan, ViewState::filtered, "standard");
    std::mutex mutex;
    std::map<std::string, std::vector<TimelineSpan>> lanes;
    const std::int64_t begin = nowNs();
    const auto engine = makeGpuEngine(
        test::testDevice(), job,
        [&](const TimelineSpan& span) {
            const std::scoped_lock lock(mutex);
            lanes[span.lane].push_back(span);
        },
        begin);
    (void)SlabRun(*engine, job, host).make();
    const std::int64_t end = nowNs() - begin;

    const std::string name = "GPU " + std::to_string(test::testDevice().number);
    ASSERT_EQ(lanes.size(), 3U);
    Index updates = 0;
    for (const auto& [lane, spans] : lanes)
        for (std::size_t i = 0; i < spans.size(); ++i) {
            constexpr std::int64_t kClockNs = 1'000'000;  // both clocks were read at one point only
            EXPECT_LE(spans[i].beginNs, spans[i].endNs);
            EXPECT_LE(spans[i].endNs, end + kClockNs);
            EXPECT_GE(spans[i].beginNs, i > 0 ? spans[i - 1].endNs : 0) << lane;
            EXPECT_GT(spans[i].bytes, 0);
            updates += spans[i].updates;
        }
    EXPECT_EQ(updates, job.volume.count() * scan.geometry.views);
    const std::size_t slabs = static_cast<std::size_t>((job.volume.voxels[2] + 12) / 13);
    EXPECT_EQ(lanes[name + " upload"].size(), 3 * slabs);
    EXPECT_EQ(lanes[name].size(), 3 * slabs);
    EXPECT_EQ(lanes[name + " upload"].front().stage, Stage::upload);
    EXPECT_EQ(lanes[name].front().stage, Stage::backproject);
    EXPECT_EQ(lanes[name + " download"].front().stage, Stage::download);
}

TEST_F(GpuEngineTest, AThirdSlabWaitsUntilOneIsReleasedOrTheRunIsStopped) {
    const Acquisition scan = test::acquisitionOf(90, 101, 75);
    const DeviceJob job = jobFor(scan, ViewState::filtered, "standard");
    const auto engine = make(job);
    for (const Index slab : {0, 1}) {
        engine->begin(slab, {slab * 13, slab * 13 + 13}, {}, {});
        engine->finish();
    }
    std::stop_source stop;
    {
        const std::jthread stopper([&] { stop.request_stop(); });
        EXPECT_THROW(engine->begin(2, {26, 39}, {}, stop.get_token()), Cancelled);
    }
    const std::jthread reader([&] { (void)engine->release(0); });
    engine->begin(2, {26, 39}, {}, {});
    engine->finish();
}

TEST_F(GpuEngineTest, StopsWhenAsked) {
    const Acquisition scan = test::acquisitionOf(90, 101, 75);
    const DeviceJob job = jobFor(scan, ViewState::filtered, "standard");
    const auto engine = make(job);
    engine->begin(0, {0, 13}, {}, {});
    const std::vector<float> views(static_cast<std::size_t>(kBatch * 75 * 101));
    const Index rowBytes = 101 * Index{sizeof(float)};
    std::stop_source stop;
    stop.request_stop();
    DeviceBatch batch = {0, {0, kBatch}, rowBytes, {}};
    batch.rowBlocks[0] = {{0, 75}, reinterpret_cast<const std::byte*>(views.data()), 75 * rowBytes};
    EXPECT_THROW(engine->add(batch, stop.get_token()), Cancelled);
    engine->finish();
    EXPECT_NO_THROW(engine->begin(1, {13, 26}, {}, {}));
}

TEST_F(GpuEngineTest, ASlabWithoutViewsIsZero) {
    const Acquisition scan = test::acquisitionOf(90, 101, 75);
    DeviceJob job = jobFor(scan, ViewState::filtered, "tile");
    job.mostRows = 0;  // as for a volume that misses the detector
    const auto engine = make(job);
    engine->begin(0, {0, 13}, {}, {});
    engine->finish();
    const auto [nX, nY, nZ] = job.volume.voxels;
    std::vector<float> out(static_cast<std::size_t>(5 * nX * nY), 1.0F);
    engine->read(0, {2, 7}, {out.data(), 5, nY, nX});
    EXPECT_EQ(out, std::vector<float>(out.size()));
    EXPECT_EQ(engine->release(0), InvalidPixels());
}

TEST_F(GpuEngineTest, ManyRunsInOneProcessLoseNoMemory) {
    const OpenScan scan = simulated(m_folder, 0);
    const HostScan host = readHost(scan);
    const bool filters = whyNoCufft().empty();
    const DeviceJob job = jobFor(scan, filters ? ViewState::stored : ViewState::filtered, "tile");
    std::size_t before = 0;
    std::size_t after = 0;
    std::size_t total = 0;
    for (int i = 0; i < 200; ++i) {
        const auto engine = make(job);
        if (i % 20 == 0) (void)SlabRun(*engine, job, host).make();
        engine->begin(0, {0, 13}, {}, {});
        engine->finish();
        (void)engine->release(0);
        // The first rounds load kernels, which stay.
        if (i == 20) check(cudaMemGetInfo(&before, &total), "asking for its free memory");
    }
    check(cudaMemGetInfo(&after, &total), "asking for its free memory");
    // Other programs may use the device too, but hardly for the sum of what 180 rounds take.
    EXPECT_LT(static_cast<double>(before) - static_cast<double>(after), 64e6);
}

TEST_F(GpuEngineTest, SlabsLargerThanTheDeviceSayWhatToChange) {
    const Acquisition scan = test::acquisitionOf(90, 101, 75);
    DeviceJob job = jobFor(scan, ViewState::filtered, "standard");
    job.volume.voxels = {8192, 8192, 4096};
    job.mostSlices = 4096;
    EXPECT_GT(gpuEngineBytes(job), 2'000'000'000'000);
    EXPECT_ERROR((void)make(job), ResourceError, "--device-memory");
    job.volume.voxels = {45, 45, 45};
    job.mostSlices = 45;
    EXPECT_NO_THROW((void)make(job));
}

TEST_F(GpuEngineTest, TakesNoMoreMemoryThanItSays) {
    const Acquisition scan = test::acquisitionOf(90, 1000, 800);
    DeviceJob job = jobFor(scan, ViewState::filtered, "tile");
    job.volume = test::gridOf(scan.geometry, 512);
    job.mostSlices = 256;
    job.mostRows = 800;
    (void)make(job);  // context and kernels, which stay
    std::size_t before = 0;
    std::size_t after = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&before, &total), "asking for its free memory");
    const auto engine = make(job);
    check(cudaMemGetInfo(&after, &total), "asking for its free memory");
    const double taken = static_cast<double>(before) - static_cast<double>(after);
    EXPECT_LE(taken, static_cast<double>(gpuEngineBytes(job)));
    EXPECT_GE(taken, 2.0 * 256 * 512 * 512 * 4);
}

}  // namespace
}  // namespace gantry
