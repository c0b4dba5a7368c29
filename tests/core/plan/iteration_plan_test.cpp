#include "core/plan/iteration_plan.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/plan/plan_forecast.h"
#include "tests/core/plan/plan_scan.h"
#include "tests/support/expect_error.h"
#include "tests/support/fake_gpus.h"

namespace gantry {
namespace {

constexpr Index kFloatBytes = 4;
constexpr Index kViews = 90;
constexpr Index kViewBytes = 101 * 67 * kFloatBytes;

class IterationPlanTest : public testing::Test {
  protected:
    IterationPlanTest() {
        m_machine.threads = 2;
        m_machine.freeBytes = 64'000'000'000;
        m_machine.cpu.devices = {{0, "Some CPU", 0, 0}};
        m_machine.cpu.kernels = {{"reference"}, {"columns"}};
        m_machine.cpu.bytesNeeded = [](const DeviceJob& job) {
            return job.maxSlices * job.volume.voxels[0] * job.volume.voxels[1] * kFloatBytes;
        };
        m_request.volume = fitGrid(test::scanOf(101, 67), 100);
        m_request.method.method = Method::sirt;
        settleMethod(m_request);
    }
    [[nodiscard]] PlanInputs inputs() const { return {m_scan, m_request, m_machine, m_facts}; }
    [[nodiscard]] JobPlan plan() const { return planJob(inputs()); }
    [[nodiscard]] Index bytesOf(Method method) {
        m_request.method.method = method;
        return plan().iterations.value().bytes;
    }

    Acquisition m_scan = test::acquisitionOf(101, 67);
    ReconstructionRequest m_request;
    Machine m_machine;
    Facts m_facts;
};

TEST_F(IterationPlanTest, CountsWhatEachMethodKeeps) {
    const Index volume = m_request.volume.count() * kFloatBytes;
    const Index sirt = bytesOf(Method::sirt);
    // Line integrals and weights; volume, the one before, their weights and the projector's copy.
    EXPECT_GE(sirt, 2 * kViews * kViewBytes + 4 * volume);
    // Beside them sixteen slices in which a change is measured, before and after.
    const Index sample = 2 * 16 * volume / m_request.volume.voxels[2];
    EXPECT_LT(sirt, 6 * kViews * kViewBytes + 6 * volume + sample);
    EXPECT_GE(bytesOf(Method::tv), bytesOf(Method::osSart) + 3 * volume) << "a dual field";
    EXPECT_GT(bytesOf(Method::cgls), 4 * volume);
    m_request.method.photons = 1e4;
    EXPECT_EQ(bytesOf(Method::sirt) - sirt, kViews * kViewBytes);
}

TEST_F(IterationPlanTest, ProjectsInSlabsWhereMemoryIsShort) {
    const JobPlan whole = plan();
    EXPECT_EQ(whole.iterations->slabSlices, m_request.volume.voxels[2]);
    EXPECT_TRUE(whole.iterations->isFromFdk);
    EXPECT_EQ(engineName(whole), "Some CPU, SIRT");
    JobPlan inSlabs = whole;
    while (inSlabs.iterations->slabSlices == m_request.volume.voxels[2]) {
        m_request.memoryBytes = inSlabs.hostBytes - 1;
        inSlabs = plan();
    }
    EXPECT_LE(inSlabs.hostBytes, m_request.memoryBytes);
    m_request.memoryBytes = 20'000'000;
    EXPECT_ERROR((void)plan(), ResourceError, "SIRT of 100 × 100 × 66 voxels keeps volume and");
}

TEST_F(IterationPlanTest, CountsWhatARankHasOfTheWhole) {
    constexpr Index kMpi = 25'000'000;
    m_request.method.method = Method::cgls;
    const Index alone = plan().iterations->bytes;
    const GridPart part =
        iterationPart(projectedViews(test::scanOf(101, 67)), m_request.volume, 1, 2);
    PlanInputs ofRank = inputs();
    ofRank.part = &part;
    const JobPlan half = planJob(ofRank);
    // Both keep the slices of the sample, and the cones of both reach into the middle rows.
    EXPECT_LT(half.iterations->bytes - kMpi, alone * 2 / 3);
    EXPECT_GT(half.iterations->bytes - kMpi, alone / 2);
    EXPECT_EQ(half.slabs.size(), 2U);
    ASSERT_EQ(half.passes.size(), 1U);
    EXPECT_EQ(half.passes.front().assignments.front().slab, 1);
    const Index slices = m_request.volume.voxels[2];
    EXPECT_EQ(half.iterations->ownPart().slices, (IndexRange{slices / 2, slices}));
    EXPECT_EQ(half.iterations->start->slabs.back().slices.hull().end, slices - slices / 2)
        << "the start is a volume of its own";
    MachineRates rates;
    rates.updates = 1e9;
    rates.exchange.reduceBytes = 1e6;
    const Forecast predicted = forecast(ofRank, half, rates);
    const Index moved = exchangedBytes(part.parts, 1, 101, kViews);
    EXPECT_GT(moved, 0);
    // Ten iterations and one for the weights.
    EXPECT_NEAR(predicted.reduce, 1e-6 * 11 * static_cast<double>(moved), 1e-9);
    EXPECT_LT(predicted.project, 0.7 * forecast(inputs(), plan(), rates).project);
}

class IterationPlanOnGpu : public IterationPlanTest {
  protected:
    IterationPlanOnGpu() {
        m_machine.gpu = test::fakeGpus(1, 1'000'000'000, m_rates).info;
        m_machine.gpu.spaceBytes = [](const SpaceShape& shape, const IterativeMethod&) {
            return 9 * shape.sliceVoxels() * shape.voxels[2] * kFloatBytes;
        };
        m_machine.gpu.projectorBytes = [](const ProjectedViews& views, const VolumeGrid& grid,
                                          Index slices) {
            return (8 * views.rows * views.columns + slices * grid.voxels[0] * grid.voxels[1]) *
                   kFloatBytes;
        };
    }

  private:
    test::FakeGpuRates m_rates;
};

TEST_F(IterationPlanOnGpu, KeepsTheVectorsThereWhereTheyFit) {
    const Index volume = m_request.volume.count() * kFloatBytes;
    const JobPlan there = plan();
    EXPECT_EQ(there.iterations->place, IterationPlan::Place::device);
    EXPECT_EQ(there.engine, EngineKind::gpu);
    EXPECT_EQ(there.iterations->deviceBytes, 9 * volume);
    EXPECT_GT(there.devices.front().bytes, 9 * volume) << "the start's slabs lie beside";
    EXPECT_EQ(there.iterations->slabSlices, m_request.volume.voxels[2]);
    EXPECT_LT(there.iterations->bytes, volume);

    m_request.deviceMemoryBytes = there.devices.front().bytes - 1;
    const JobPlan tight = plan();
    EXPECT_EQ(tight.iterations->place, IterationPlan::Place::device) << "a start in thinner slabs";
    EXPECT_LE(tight.devices.front().bytes, m_request.deviceMemoryBytes);

    m_request.deviceMemoryBytes = 9 * volume;
    const JobPlan blocks = plan();
    EXPECT_EQ(blocks.iterations->place, IterationPlan::Place::blocksOnDevice);
    EXPECT_EQ(blocks.iterations->slabSlices, m_request.volume.voxels[2]);
    EXPECT_GT(blocks.iterations->bytes, 4 * volume) << "in the host's memory";

    m_request.deviceMemoryBytes = volume;
    const JobPlan slabs = plan();
    EXPECT_EQ(slabs.iterations->place, IterationPlan::Place::blocksOnDevice);
    EXPECT_LT(slabs.iterations->slabSlices, m_request.volume.voxels[2]);
    EXPECT_LE(slabs.devices.front().bytes, volume);
}

TEST_F(IterationPlanOnGpu, UsesTheGpusThatAreNamedOrSaysWhyItCannot) {
    m_machine.gpu.devices.push_back(m_machine.gpu.devices.front());
    m_machine.gpu.devices.back().number = 1;
    m_request.devices = {1};
    EXPECT_EQ(plan().iterations->devices, (std::vector<int>{1}));
    m_request.devices = {};
    const JobPlan both = plan();
    EXPECT_EQ(both.iterations->devices, (std::vector<int>{0, 1}));
    EXPECT_EQ(both.iterations->deviceBytes, 9 * m_request.volume.count() / 2 * kFloatBytes);
    m_request.deviceMemoryBytes = 1000;
    const JobPlan onCpu = plan();
    EXPECT_EQ(onCpu.iterations->place, IterationPlan::Place::host);
    EXPECT_EQ(onCpu.engine, EngineKind::cpu);
    ASSERT_FALSE(onCpu.notes.empty());
    EXPECT_NE(onCpu.notes.back().find("as no GPU could be used"), std::string::npos);
    m_request.engine = Engine::gpu;
    EXPECT_ERROR((void)plan(), ResourceError, "GPU 0");
    m_request.engine = Engine::cpu;
    m_request.deviceMemoryBytes = 0;
    EXPECT_EQ(plan().iterations->place, IterationPlan::Place::host);
}

TEST_F(IterationPlanOnGpu, ForecastsWhatGoesToAndFro) {
    const auto forecastOf = [&] {
        MachineRates rates;
        rates.devices = {{1e9, 1e9, 1e9, 1e9}};
        return forecast(inputs(), plan(), rates);
    };
    const Forecast there = forecastOf();
    m_request.deviceMemoryBytes = 9 * m_request.volume.count() * kFloatBytes;
    const Forecast blocks = forecastOf();
    EXPECT_DOUBLE_EQ(blocks.project, there.project);
    const auto moved =
        static_cast<double>(m_request.volume.count() * kFloatBytes + kViews * kViewBytes);
    // Ten iterations and one for the weights.
    EXPECT_NEAR(blocks.upload - there.upload, 1e-9 * 21 * moved, 1e-4 * blocks.upload);
}

TEST_F(IterationPlanTest, AddsTheIterationsToTheForecast) {
    const JobPlan planned = plan();
    MachineRates rates;
    rates.updates = 1e9;
    const Forecast twenty = forecast(inputs(), planned, rates);
    m_request.method.iterations = 41;
    const Forecast more = forecast(inputs(), plan(), rates);
    // One more than the iterations makes the weights: 42 against 21.
    EXPECT_NEAR(more.project / twenty.project, 2, 1e-12);
    m_request.method.method = Method::fdk;
    EXPECT_EQ(forecast(inputs(), plan(), rates).project, 0);
}

TEST_F(IterationPlanTest, CountsWhatIsAroundARegion) {
    MachineRates rates;
    rates.updates = 1e9;
    rates.loadBytes = 1e8;
    m_request.volume.voxels = {20, 20, 10};
    const JobPlan alone = plan();
    const Forecast without = forecast(inputs(), alone, rates);
    m_request.method.isRegion = true;
    const JobPlan region = plan();
    const Forecast with = forecast(inputs(), region, rates);
    // The whole of 26 × 26 × 17 voxels, ten times there and back and once for the weights; then it
    // and the box once, there. A sample takes as long as two updates.
    const double pixels = 101 * 67 * static_cast<double>(kViews);
    EXPECT_NEAR(with.project - without.project, 2e-9 * pixels * (12 * 26 + 20), 1e-9);
    EXPECT_NEAR(with.backproject - without.backproject, 2e-9 * pixels * 11 * 26, 1e-9);
    EXPECT_NEAR(with.load, 1.5 * without.load, 1e-12) << "for start, surroundings and iterations";
    EXPECT_GT(with.load, 0);
    // All views once more, for the whole.
    EXPECT_GT(region.iterations->bytes - alone.iterations->bytes, kViews * kViewBytes);
    EXPECT_EQ(region.hostBytes - alone.hostBytes,
              region.iterations->bytes - alone.iterations->bytes);
}

}  // namespace
}  // namespace gantry
