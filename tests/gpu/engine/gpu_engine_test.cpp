#include "gpu/engine/gpu_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "core/backproject/cpu_kernels.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "gpu/device/cuda_check.h"
#include "gpu/device/device_buffer.h"
#include "gpu/engine/cone_kernel.h"
#include "gpu/engine/gpu_filter.h"
#include "tests/core/backproject/back_projection.h"
#include "tests/gpu/engine/slab_run.h"
#include "tests/gpu/support/device.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using test::HostScan;
using test::kBatch;
using test::madeByCpu;
using test::readHost;
using test::relativeRmse;
using test::simulated;
using test::SlabRun;

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
        job.maxSlices = 13;
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

// Pairs of ranges that mirror each other, from the outermost inwards, and the middle.
std::vector<IndexRanges> mirrorPairs(Index nZ, Index height) {
    std::vector<IndexRanges> slabs;
    Index z = 0;
    for (; nZ - 2 * z > 2 * height; z += height)
        slabs.emplace_back(IndexRange{z, z + height}, IndexRange{nZ - z - height, nZ - z});
    slabs.emplace_back(z, nZ - z);
    return slabs;
}

TEST_F(GpuEngineTest, MakesTheCpusVolumeInMirrorPairs) {
    const OpenScan scan = simulated(m_folder, 0, 0);  // rows mirror each other
    const HostScan host = readHost(scan);
    const auto expected = madeByCpu(scan, host, test::jobOn(scan, 45).volume);
    for (const ViewState state : {ViewState::filtered, ViewState::stored})
        for (const char* kernel : {"mirror-texture", "tile", "standard"}) {
            if (state != ViewState::filtered && !whyNoCufft().empty()) continue;
            DeviceJob job = jobFor(scan, state, kernel);
            job.maxSlices = 12;
            const auto engine = make(job);
            SlabRun run(*engine, job, host, mirrorPairs(job.volume.voxels[2], 6));
            const std::vector<float> pairs = run.make();
            SCOPED_TRACE(kernel + std::string(", state ") +
                         std::to_string(static_cast<int>(state)));
            // Texture units blend with 8 bits: 1.1e-3 on this object, as without pairs.
            const bool isFast = coneKernel(kernel).kernel.isFast;
            EXPECT_LT(relativeRmse(pairs, expected), isFast ? 2e-3 : 1e-5);
            // Their rows count from another one, which rounds a few fractions to the next of 256.
            DeviceJob whole = job;
            whole.maxSlices = job.volume.voxels[2];
            const auto wholeEngine = make(whole);
            SlabRun wholeRun(*wholeEngine, whole, host, {IndexRanges(0, whole.maxSlices)});
            EXPECT_LT(relativeRmse(pairs, wholeRun.make()), isFast ? 1e-4 : 1e-5);
            EXPECT_EQ(run.invalid(), state == ViewState::stored ? host.invalid : InvalidPixels())
                << kernel;
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

// Five batches: four are added together, the last by itself when the slab ends.
TEST_F(GpuEngineTest, BatchesOfAParallelBeamAreGatheredAndAllOfThemAdded) {
    ScanGeometry beam = test::scanOf(97, 61, 160);
    const GantryAngles angles = beam.cone();
    beam.trajectory = ParallelBeam{angles};
    Acquisition scan = test::acquisitionOf(160, 97, 61);
    scan.geometry = alignedViews(beam);
    HostScan host;
    host.filtered = test::randomViews(beam, test::Noise::uniform);
    DeviceJob job;
    job.acquisition = &scan;
    job.volume = test::gridOf(beam, {95, 91, 17}, 0.9);
    job.kernel = "parallel-stack";
    job.batchViews = 32;
    job.maxRows = 61;
    job.maxSlices = 13;
    job.chunkSlices = 5;
    std::mutex mutex;
    std::vector<TimelineSpan> added;
    const auto engine = make(job, [&](const TimelineSpan& span) {
        const std::scoped_lock lock(mutex);
        if (span.stage == Stage::backproject) added.push_back(span);
    });
    const std::vector<float> volume = SlabRun(*engine, job, host).make();
    const auto expected = test::backProject(*makeReferenceBackProjector(test::kCpuThreads), beam,
                                            job.volume, {0, 17}, host.filtered);
    EXPECT_LT(relativeRmse(volume, expected), 1e-5);  // as of other kernels
    ASSERT_EQ(added.size(), 2U * 6);
    const Index updates = 95 * 91 * 13;  // of a view on the first slab
    for (std::size_t i = 0; i < 6; ++i)
        EXPECT_EQ(added[i].updates, i == 3 ? 128 * updates : i == 5 ? 32 * updates : 0) << i;
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
    ASSERT_EQ(lanes.size(), 3U);  // copies in, work and copies out are at once
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
    job.maxRows = 0;  // as for a volume that misses the detector
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
    job.maxSlices = 4096;
    EXPECT_GT(gpuEngineBytes(job), 2'000'000'000'000);
    EXPECT_ERROR((void)make(job), ResourceError, "--device-memory");
    job.volume.voxels = {45, 45, 45};
    job.maxSlices = 45;
    EXPECT_NO_THROW((void)make(job));
}

TEST_F(GpuEngineTest, TakesNoMoreMemoryThanItSays) {
    const Acquisition scan = test::acquisitionOf(90, 1000, 800);
    DeviceJob job = jobFor(scan, ViewState::filtered, "tile");
    job.volume = test::gridOf(scan.geometry, 512);
    job.maxSlices = 256;
    job.maxRows = 800;
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
