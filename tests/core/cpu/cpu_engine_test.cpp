#include "core/base/clock.h"
#include "core/cpu/cpu_backend.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/host_buffer.h"
#include "core/io/memory_source.h"
#include "core/io/volume/memory_sink.h"
#include "core/recon/reconstruct.h"
#include "tests/support/cpu_backends.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

// A scan of noise in memory: what is added must be right for any pixels.
class CpuEngineTest : public testing::Test {
  protected:
    CpuEngineTest() {
        m_geometry.cone().sourceToIsocenterMm = 300;
        m_geometry.cone().sourceToDetectorMm = 470;
        m_geometry.cone().views = 22;
        m_geometry.detector = {
            .columns = 37, .rows = 31, .pitchMm = {2.1, 1.7}, .offsetMm = {0.8, -3}};
        m_pixels = HostBuffer<float>(22 * 31 * 37);
        for (Index i = 0; i < m_pixels.count(); ++i)
            m_pixels[i] = static_cast<float>(std::fmod(0.618 * static_cast<double>(i), 1));
        m_scan.emplace(openScan(m_geometry, std::make_shared<MemorySource>(
                                                Span3<const float>(m_pixels.data(), 22, 31, 37))));
        m_request.volume = fitGrid(m_geometry, 29);
        m_request.volume.voxels = {29, 27, 26};
        m_request.threads = 2;
    }

    // Every slice of the volume, by this plan.
    std::vector<float> made(const JobPlan& plan, const Backends& all) {
        const auto [nX, nY, nZ] = m_request.volume.voxels;
        std::vector<float> volume(static_cast<std::size_t>(nX * nY * nZ));
        MemorySink sink({volume.data(), nZ, nY, nX});
        (void)reconstruct(*m_scan, m_request, plan, all, sink, {}, {});
        sink.finish();
        return volume;
    }

    // The plan with these slabs instead of its own.
    JobPlan inSlabs(const std::vector<IndexRanges>& slabs) {
        return test::planned(*m_scan, m_request, test::backends(), FinishedSlabs{slabs, {}});
    }

    ScanGeometry m_geometry;
    HostBuffer<float> m_pixels;
    std::optional<OpenScan> m_scan;
    ReconstructionRequest m_request;
};

void expectSame(const std::vector<float>& a, const std::vector<float>& b) {
    ASSERT_EQ(a.size(), b.size());
    float largest = 0;
    for (const float value : b)
        largest = std::max(largest, std::abs(value));
    ASSERT_GT(largest, 0);
    // The same sums in fp32 in other runs of voxels.
    for (std::size_t i = 0; i < a.size(); ++i)
        ASSERT_NEAR(a[i], b[i], 3e-6F * largest) << i;
}

TEST_F(CpuEngineTest, ASlabOfTwoRangesIsAsGoodAsOne) {
    const Backends all = test::backends();
    const std::vector<float> whole = made(test::planned(*m_scan, m_request, all), all);
    // A mirror pair, a pair that mirrors nothing, and what is left between.
    const JobPlan pairs = inSlabs({{{0, 4}, {22, 26}}, {{4, 5}, {9, 22}}, {5, 9}});
    ASSERT_EQ(pairs.slabs.size(), 3U);
    expectSame(made(pairs, all), whole);
}

TEST_F(CpuEngineTest, OnlySlabsThatAreNotFinishedAreMade) {
    const Backends all = test::backends();
    const std::vector<IndexRanges> slabs = {{0, 7}, {7, 15}, {15, 20}, {20, 26}};
    const JobPlan plan = test::planned(*m_scan, m_request, all, FinishedSlabs{slabs, {0, 2}});
    ASSERT_EQ(plan.passes.size(), 2U);
    EXPECT_EQ(plan.passes[0].assignments.front().slab, 1);
    EXPECT_EQ(plan.passes[1].assignments.front().slab, 3);
    const auto [nX, nY, nZ] = m_request.volume.voxels;
    std::vector<float> volume(static_cast<std::size_t>(nX * nY * nZ), 7);
    MemorySink sink({volume.data(), nZ, nY, nX});
    double first = 0;
    std::vector<Index> stored;
    RunObserver observer;
    observer.progress = [&](const Progress& progress) {
        if (first == 0) first = progress.fraction;
    };
    observer.slabsStored = [&](const std::vector<Index>& made, const InvalidPixels&) {
        stored.insert(stored.end(), made.begin(), made.end());
    };
    (void)reconstruct(*m_scan, m_request, plan, all, sink, observer, {});
    EXPECT_EQ(stored, (std::vector<Index>{1, 3}));
    EXPECT_GT(first, 12.0 / 26) << "progress counts what was done before";
    EXPECT_EQ(volume[static_cast<std::size_t>(6 * nX * nY)], 7);
    EXPECT_NE(volume[static_cast<std::size_t>(7 * nX * nY)], 7);
    EXPECT_EQ(volume[static_cast<std::size_t>(19 * nX * nY)], 7);
}

// A back-projector of one's own: it adds the mean of every view's rows to all voxels.
class FlatBackProjector final : public BackProjector {
  public:
    explicit FlatBackProjector(int) {}
    void begin(const VolumeGrid& grid, IndexRange) override {
        m_grid = grid;
        m_sum = 0;
    }
    void add(const FilteredBatch& batch, const std::stop_token&) override {
        m_sum += static_cast<float>(batch.views.size(0));
    }
    void read(IndexRange, Span3<float> out) override {
        std::fill_n(out.data(), out.count(), m_sum);
    }
    [[nodiscard]] Index bytesNeeded(const VolumeGrid&, Index, Index, Index, Index) const override {
        return 1000;
    }

  private:
    VolumeGrid m_grid;
    float m_sum = 0;
};

TEST_F(CpuEngineTest, AKernelIsAddedInOneLine) {
    std::vector<CpuKernel> kernels = cpuKernels();
    kernels.insert(kernels.begin(), {{"flat"}, [](int threads) -> std::unique_ptr<BackProjector> {
                                         return std::make_unique<FlatBackProjector>(threads);
                                     }});
    Backends all = test::backends();
    all.cpu = makeCpuBackend(kernels);
    m_request.cpuKernel = "flat";
    const JobPlan plan = test::planned(*m_scan, m_request, all);
    EXPECT_EQ(plan.devices.front().kernel.kernel.name, "flat");
    EXPECT_EQ(plan.devices.front().bytes, 1000);
    for (const float value : made(plan, all))
        ASSERT_EQ(value, 22) << "every view was added once";
    m_request.cpuKernel = "flatter";
    EXPECT_ERROR(
        (void)test::planned(*m_scan, m_request, all), InputError,
        "The kernel 'flatter' is unknown. Known: flat, reference, general, stack, columns.");
}

TEST_F(CpuEngineTest, WaitsUntilASlabIsReleasedAndStopsWaitingWhenAskedTo) {
    DeviceJob job;
    job.acquisition = &*m_scan;
    job.volume = m_request.volume;
    job.chunkSlices = 1;
    const auto engine = makeCpuEngine(
        job, [] { return std::make_unique<FlatBackProjector>(1); }, [](const TimelineSpan&) {}, 0);
    std::stop_source stopped;
    stopped.request_stop();
    ASSERT_THROW(engine->begin(0, {0, 3}, {}, stopped.get_token()), Cancelled) << "with no wait";
    engine->begin(0, {0, 3}, {}, {});
    engine->finish();
    {
        std::stop_source stop;
        const std::jthread stopper([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            stop.request_stop();
        });
        EXPECT_THROW(engine->begin(1, {3, 6}, {}, stop.get_token()), Cancelled);
    }
    const std::jthread reader([&] { (void)engine->release(0); });
    engine->begin(1, {3, 6}, {}, {});
    engine->finish();
    (void)engine->release(1);
}

TEST_F(CpuEngineTest, ATrialMeasuresTheKernelThatIsNamed) {
    const Backends all = test::backends();
    Question question;
    question.kernel = kReferenceKernel;
    question.rows = {0, 31};
    question.slices = 26;
    question.batchViews = 8;
    question.threads = 2;
    const DeviceJob job = trialJobOf(*m_scan, m_request, question);
    const KernelChoice slow = all.cpu.chooseKernel(0, job, false);
    EXPECT_EQ(slow.kernel.name, "reference");
    EXPECT_GT(slow.updatesPerSecond, 0);
    DeviceJob other = job;
    other.kernel = kUsualCpuKernel;
    EXPECT_GT(all.cpu.chooseKernel(0, other, false).updatesPerSecond, slow.updatesPerSecond);
    // A volume that no ray meets takes no time.
    other.volume.centerMm = {0, 0, 900};
    EXPECT_GT(all.cpu.chooseKernel(0, other, false).updatesPerSecond, 0);
}

TEST_F(CpuEngineTest, AParallelBeamTakesTheStackAndNothingElseDoes) {
    const Backends all = test::backends();
    DeviceJob job;
    job.volume = m_request.volume;
    job.batchViews = 8;
    job.maxRows = 31;
    job.maxSlices = 26;
    job.threads = 2;
    job.kernel = "stack";
    job.acquisition = &*m_scan;
    EXPECT_ERROR((void)all.cpu.info.bytesNeeded(job), InputError, "parallel beam");
    EXPECT_ERROR((void)all.cpu.chooseKernel(0, job, false), InputError, "upright");

    const GantryAngles angles = m_geometry.cone();
    m_geometry.trajectory = ParallelBeam{angles};
    const OpenScan parallel =
        openScan(m_geometry,
                 std::make_shared<MemorySource>(Span3<const float>(m_pixels.data(), 22, 31, 37)));
    job.acquisition = &parallel;
    EXPECT_EQ(all.cpu.chooseKernel(0, job, false).kernel.name, "stack");
    job.kernel = kUsualCpuKernel;
    EXPECT_EQ(all.cpu.chooseKernel(0, job, false).kernel.name, "stack");
    job.kernel = "general";
    EXPECT_EQ(all.cpu.chooseKernel(0, job, false).kernel.name, "general");
}

// What a kernel was asked for in a trial.
struct Trial {
    std::vector<VolumeGrid> pieces;
    std::vector<std::array<Index, 3>> batches;  // views, rows, columns
};

// A back-projector that only notes its trial; the next one begins a new note.
class NotingBackProjector final : public BackProjector {
  public:
    NotingBackProjector() { noted() = {}; }
    static Trial& noted() {
        static Trial trial;  // a kernel is made by a plain function
        return trial;
    }
    void begin(const VolumeGrid& grid, IndexRange) override { noted().pieces.push_back(grid); }
    void add(const FilteredBatch& batch, const std::stop_token&) override {
        noted().batches.push_back({batch.views.size(0), batch.views.size(1), batch.views.size(2)});
        EXPECT_EQ(static_cast<Index>(batch.matrices.size()), batch.views.size(0));
    }
    void read(IndexRange, Span3<float>) override {}
    [[nodiscard]] Index bytesNeeded(const VolumeGrid&, Index, Index, Index, Index) const override {
        return 1;
    }
};

Trial trialOf(const DeviceJob& job) {
    const EngineBackend backend =
        makeCpuBackend({{{"noting"}, [](int) -> std::unique_ptr<BackProjector> {
                             return std::make_unique<NotingBackProjector>();
                         }}});
    (void)backend.chooseKernel(0, job, false);
    Trial trial = NotingBackProjector::noted();
    EXPECT_FALSE(trial.pieces.empty());
    EXPECT_FALSE(trial.batches.empty());
    return trial;
}

// One that another program holds up again and again when it begins.
class HeldUpBackProjector final : public BackProjector {
  public:
    void begin(const VolumeGrid&, IndexRange) override { m_heldUp = 3; }
    void add(const FilteredBatch&, const std::stop_token&) override {
        if (m_heldUp-- > 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            return;
        }
        for (const std::int64_t begin = nowNs(); secondsSince(begin) < 1e-5;) {
        }
    }
    void read(IndexRange, Span3<float>) override {}
    [[nodiscard]] Index bytesNeeded(const VolumeGrid&, Index, Index, Index, Index) const override {
        return 1;
    }

  private:
    int m_heldUp = 0;
};

TEST_F(CpuEngineTest, ATrialOutlastsWhatHoldsItUp) {
    const EngineBackend backend =
        makeCpuBackend({{{"held up"}, [](int) -> std::unique_ptr<BackProjector> {
                             return std::make_unique<HeldUpBackProjector>();
                         }}});
    DeviceJob job;
    job.acquisition = &*m_scan;
    job.volume = m_request.volume;
    job.batchViews = 8;
    job.maxSlices = job.volume.voxels[2];
    const auto updates = static_cast<double>(job.volume.count() * job.batchViews);
    // Two looks at it, 3 · 10 ms each, would have told a thousandth of its speed.
    EXPECT_GT(backend.chooseKernel(0, job, false).updatesPerSecond, 0.02 * updates / 1e-5);
}

TEST_F(CpuEngineTest, ATrialIsMadeOnAPieceOfTheVolume) {
    DeviceJob job;
    job.acquisition = &*m_scan;
    job.volume = m_request.volume;
    job.batchViews = 8;
    for (const auto& voxels : {std::array<Index, 3>{5, 40, 9}, {43, 7, 3}}) {
        job.volume.voxels = voxels;
        job.maxSlices = voxels[2];
        for (const VolumeGrid& piece : trialOf(job).pieces) {
            for (std::size_t axis = 0; axis < 3; ++axis)
                EXPECT_LE(piece.voxels[axis], voxels[axis]);
            EXPECT_EQ(piece.pitchMm, job.volume.pitchMm);
            EXPECT_EQ(piece.centerMm, job.volume.centerMm);
        }
    }
}

// One view of ten megapixels is enough, and a scan may have no more.
TEST_F(CpuEngineTest, ATrialOnALargeDetectorTakesOneView) {
    m_geometry.detector = {.columns = 4096, .rows = 2500, .pitchMm = {0.02, 0.025}};
    m_geometry.cone().views = 3;
    Acquisition large = *m_scan;
    large.geometry = alignedViews(m_geometry);
    DeviceJob job;
    job.acquisition = &large;
    job.volume = fitGrid(m_geometry, 29);
    job.maxSlices = job.volume.voxels[2];
    job.batchViews = 3;
    for (const auto& [views, rows, columns] : trialOf(job).batches) {
        EXPECT_EQ(views, 1);
        EXPECT_GT(rows * columns, 8'000'000);
    }
}

}  // namespace
}  // namespace gantry
