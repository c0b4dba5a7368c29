#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "core/geometry/views/mirror.h"
#include "core/plan/plan_forecast.h"
#include "core/plan/questions.h"
#include "tests/core/plan/plan_scan.h"
#include "tests/support/fake_gpus.h"

namespace gantry {
namespace {

// When a job's slabs are mirror pairs: on a machine that is nothing but values.
class PairPlans : public testing::Test {
  protected:
    PairPlans() {
        m_machine.threads = 8;
        m_machine.freeBytes = 64'000'000'000;
        m_machine.cpu.devices = {{0, "Some CPU", 0, 0}};
        m_machine.cpu.kernels = {{"columns"}};
        m_request.volume = fitGrid(test::scanOf(101, 67), 100);
        m_request.fast = true;
    }

    void addGpus(const std::vector<const char*>& kernels, double updatesPerSecond = 1e12,
                 Index layerSlices = 1) {
        test::FakeGpuRates rates;
        m_machine.gpu = test::fakeGpus(static_cast<int>(kernels.size()), kPlenty, rates).info;
        m_machine.gpu.bytesNeeded = [](const DeviceJob& job) {
            const Index voxels = job.maxSlices * job.volume.voxels[0] * job.volume.voxels[1];
            const Index pixels = 2 * job.batchViews * job.maxRows * 101;
            return 4 * (job.slabsAtOnce * voxels + pixels);
        };
        for (int d = 0; d < static_cast<int>(kernels.size()); ++d) {
            KernelChoice choice =
                test::testGpuChoice(kernels[static_cast<std::size_t>(d)], true, updatesPerSecond);
            choice.kernel.layerSlices = layerSlices;
            m_facts.add(gpuKernelQuestion(inputs(), d, static_cast<Index>(kernels.size())),
                        KernelFacts{choice, ""});
        }
    }
    [[nodiscard]] PlanInputs inputs() const {
        return {m_scan, m_request, m_machine, m_facts, m_sink};
    }
    [[nodiscard]] JobPlan plan() const { return planJob(inputs()); }
    [[nodiscard]] Index mirror() const {
        return mirroredSlices(m_scan.geometry, m_request.volume).value();
    }
    [[nodiscard]] Index mirrorSlabs(const JobPlan& plan) const {
        return std::count_if(plan.slabs.begin(), plan.slabs.end(), [&](const SlabPlan& slab) {
            return isOwnMirror(slab.slices, mirror());
        });
    }
    static void expectFits(const JobPlan& plan) {
        for (const DevicePlan& device : plan.devices)
            EXPECT_LE(device.bytes, device.budgetBytes);
        EXPECT_LE(plan.hostBytes, plan.budgetBytes);
    }

    static constexpr Index kPlenty = 80'000'000'000;
    Acquisition m_scan = test::acquisitionOf(101, 67);
    ReconstructionRequest m_request;
    Machine m_machine;
    Facts m_facts;
    SinkNeeds m_sink;
};

TEST_F(PairPlans, DevicesThatMirrorShareAVolumeInPairs) {
    addGpus({"mirror-texture", "mirror-texture"});
    const JobPlan plan = this->plan();
    ASSERT_EQ(plan.slabs.size(), 2U);
    EXPECT_EQ(mirrorSlabs(plan), 2);
    EXPECT_EQ(plan.slabs[0].slices.parts().size(), 2U);
    EXPECT_EQ(plan.slabs[1].slices.parts().size(), 1U);
    EXPECT_EQ(plan.passes.size(), 1U);
    expectFits(plan);
    // Half of the volume each, at full speed.
    const double seconds = static_cast<double>(m_request.volume.count() * 90) / 2e12;
    EXPECT_NEAR(forecast(inputs(), plan).backproject, seconds, 0.05 * seconds);
}

TEST_F(PairPlans, ASlabOfTheWholeVolumeIsItsOwnMirrorImage) {
    addGpus({"mirror-texture"});
    const JobPlan plan = this->plan();
    ASSERT_EQ(plan.slabs.size(), 1U);
    EXPECT_EQ(plan.slabs[0].slices, IndexRanges(0, m_request.volume.voxels[2]));
}

TEST_F(PairPlans, StayWithinAnyMemoryThatIsAllowed) {
    addGpus({"mirror-texture", "mirror-texture", "mirror-texture"});
    const Index whole = plan().devices[1].bytes;
    for (const Index part : {2, 3}) {
        m_request.deviceMemoryBytes = whole / part;
        const JobPlan plan = this->plan();
        expectFits(plan);
        EXPECT_GT(plan.passes.size(), 1U);
        EXPECT_EQ(mirrorSlabs(plan), static_cast<Index>(plan.slabs.size()));
        for (std::size_t p = 0; p + 1 < plan.passes.size(); ++p)
            EXPECT_EQ(plan.passes[p].assignments.size(), 3U);
    }
    m_request.deviceMemoryBytes = 0;
    m_request.memoryBytes = plan().hostBytes - 1;
    expectFits(plan());
}

TEST_F(PairPlans, OffTheMiddleTheRestIsPlain) {
    addGpus({"mirror-texture", "mirror-texture"});
    m_request.volume.centerMm[2] = 3 * m_request.volume.pitchMm[2];
    addGpus({"mirror-texture", "mirror-texture"});
    const JobPlan plan = this->plan();
    EXPECT_EQ(mirrorSlabs(plan), 2);
    EXPECT_EQ(plan.slabs.size(), 4U);
    EXPECT_EQ(plan.slabs.back().slices.hull().end, m_request.volume.voxels[2]);
    EXPECT_EQ(plan.passes.size(), 2U);
    m_request.volume.centerMm[2] = 0.3 * m_request.volume.pitchMm[2];
    addGpus({"mirror-texture", "mirror-texture"});
    for (const SlabPlan& slab : this->plan().slabs)
        EXPECT_EQ(slab.slices.parts().size(), 1U) << "no slice mirrors another";
}

TEST_F(PairPlans, KernelsThatDoNotMirrorGetPlainSlabs) {
    addGpus({"tile", "tile"});
    for (const SlabPlan& slab : plan().slabs)
        EXPECT_EQ(slab.slices.parts().size(), 1U);
    // Beside one of these, another that mirrors is half as fast.
    addGpus({"standard", "mirror-texture"});
    const JobPlan mixed = plan();
    ASSERT_EQ(mixed.slabs.size(), 2U);
    EXPECT_NEAR(static_cast<double>(mixed.slabs[0].slices.size()),
                2.0 * static_cast<double>(mixed.slabs[1].slices.size()), 2);
    EXPECT_EQ(mixed.slabs[0].slices.parts().size(), 1U);
}

TEST_F(PairPlans, WherePairsReadMoreAndReadingIsAllThatTakesTimeSlabsArePlain) {
    addGpus({"mirror-texture"}, 1e18);
    m_request.deviceMemoryBytes = plan().devices[0].bytes / 4;
    ASSERT_GT(plan().slabs.size(), 3U);
    EXPECT_EQ(mirrorSlabs(plan()), static_cast<Index>(plan().slabs.size()));
    m_facts.add(hostQuestion(inputs(), plan()), HostRates{1e3, 1e12, 1e12});
    const JobPlan plan = this->plan();
    for (const SlabPlan& slab : plan.slabs)
        EXPECT_EQ(slab.slices.parts().size(), 1U);
}

TEST_F(PairPlans, WhereStoringBoundsTheFirstPassIsThin) {
    m_request.volume = fitGrid(test::scanOf(101, 67), 1000);
    m_request.volume.voxels[2] = 4096;
    m_sink.outputBytes = 4 * m_request.volume.count();
    addGpus({"tile", "tile"}, 2e11, 64);
    const auto slicesOfPass = [](const JobPlan& plan, std::size_t p) {
        Index slices = 0;
        for (const Assignment& part : plan.passes[p].assignments)
            slices += plan.slabs[static_cast<std::size_t>(part.slab)].slices.size();
        return slices;
    };
    const JobPlan unknown = plan();
    ASSERT_GT(unknown.passes.size(), 2U);
    EXPECT_GE(slicesOfPass(unknown, 0), slicesOfPass(unknown, 1));
    m_facts.add(storageQuestion(inputs(), unknown), StorageRate{12e9});
    const double seconds = knownWall(inputs(), unknown);
    const JobPlan thin = plan();
    expectFits(thin);
    EXPECT_EQ(2 * slicesOfPass(thin, 0), slicesOfPass(thin, 1));
    EXPECT_LT(knownWall(inputs(), thin), 0.98 * seconds);
    // Nothing waits for a fast store.
    m_facts.add(storageQuestion(inputs(), unknown), StorageRate{1e12});
    EXPECT_EQ(plan().slabs.size(), unknown.slabs.size());
}

TEST_F(PairPlans, SlabsAreWholeLayersOfTheKernelWithTheThickest) {
    m_request.volume = fitGrid(test::scanOf(101, 67), 300);
    m_request.volume.voxels[2] = 2048;
    addGpus({"tile", "tile"});
    for (const auto& [device, layer] : {std::pair{0, 64}, {1, 128}}) {
        KernelChoice choice = test::testGpuChoice("tile", true, 1e12);
        choice.kernel.layerSlices = layer;
        m_facts.add(gpuKernelQuestion(inputs(), device, 2), KernelFacts{choice, ""});
    }
    for (const SlabPlan& slab : plan().slabs)
        EXPECT_EQ(slab.slices.size() % 128, 0);
}

// Storing would begin earlier after a thin pass, but four devices with a layer each have none to
// spare for it.
TEST_F(PairPlans, NoPassIsMadeOfPartsOfLayersSoThatStoringBeginsEarlier) {
    m_request.volume = fitGrid(test::scanOf(101, 67), 1000);
    m_request.volume.voxels[2] = 2048;
    m_sink.outputBytes = 4 * m_request.volume.count();
    addGpus({"tile", "tile", "tile", "tile"}, 4e10, 128);
    const JobPlan unknown = plan();
    ASSERT_EQ(unknown.slabs.size(), 16U);
    m_facts.add(storageQuestion(inputs(), unknown), StorageRate{12e9});
    for (const SlabPlan& slab : plan().slabs)
        EXPECT_EQ(slab.slices.size(), 128);
}

TEST_F(PairPlans, EachStoredRowIsCountedOnce) {
    addGpus({"mirror-texture", "mirror-texture"});
    for (const double slices : {0.0, 4.0, -4.0}) {
        m_request.volume.centerMm[2] = slices * m_request.volume.pitchMm[2];
        addGpus({"mirror-texture", "mirror-texture"});
        m_request.deviceMemoryBytes = 0;
        m_request.deviceMemoryBytes = plan().devices[1].bytes / 3;
        const JobPlan plan = this->plan();
        ASSERT_GT(mirrorSlabs(plan), 3);
        std::vector<int> counted(67);
        std::vector<int> needed(67);
        for (const SlabPlan& slab : plan.slabs)
            for (const IndexRange& part : slab.rows.parts())
                for (Index row = part.begin; row < part.end; ++row) {
                    needed[static_cast<std::size_t>(row)] = 1;
                    counted[static_cast<std::size_t>(row)] += slab.counted.contains(row) ? 1 : 0;
                }
        EXPECT_EQ(counted, needed) << slices;
    }
}

TEST_F(PairPlans, AnInterruptedRunsPairsAreMadeOn) {
    addGpus({"mirror-texture", "mirror-texture"});
    m_request.deviceMemoryBytes = plan().devices[1].bytes / 3;
    const JobPlan whole = plan();
    FinishedSlabs finished;
    for (const SlabPlan& slab : whole.slabs)
        finished.slabs.push_back(slab.slices);
    finished.done = {0, 1};
    const JobPlan rest = planJob(inputs(), finished);
    ASSERT_EQ(rest.passes.size() + 1, whole.passes.size());
    for (std::size_t p = 0; p < rest.passes.size(); ++p) {
        EXPECT_EQ(rest.passes[p].assignments, whole.passes[p + 1].assignments);
        EXPECT_EQ(rest.passes[p].rows, whole.passes[p + 1].rows);
    }
    for (std::size_t i = 0; i < whole.slabs.size(); ++i)
        EXPECT_EQ(rest.slabs[i].counted, whole.slabs[i].counted);
}

}  // namespace
}  // namespace gantry
