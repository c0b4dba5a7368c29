#include <gtest/gtest.h>

#include <memory>

#include "core/plan/job_plan.h"
#include "core/plan/questions.h"
#include "tests/core/plan/plan_scan.h"
#include "tests/support/fake_gpus.h"

namespace gantry {
namespace {

constexpr Index kWorkBytes = 40'000'000;

// A job with corrections, on a machine that is nothing but values.
class StepsPlan : public testing::Test {
  protected:
    StepsPlan() {
        m_machine.threads = 8;
        m_machine.freeBytes = 64'000'000'000;
        m_machine.gpu = test::fakeGpus(1, 80'000'000'000, m_rates).info;
        m_machine.gpu.viewStepsBytes = [](const ViewStepsJob& job) -> std::optional<Index> {
            const SourceInfo& stored = job.stored->stored;
            return kWorkBytes + (job.isHeld ? stored.views : job.blockViews) * job.maxRows *
                                    stored.columns * Index{sizeof(float)};
        };
        m_request.volume = fitGrid(test::scanOf(101, 67), 100);
        correct({.method = RingMethod::smoothedMean});
    }

    void correct(const RingSpec& rings) {
        Acquisition stored = test::acquisitionOf(101, 67);
        stored.calibration = std::make_shared<DetectorCalibration>();
        m_scan = stored;
        m_scan.corrections.rings = rings;
        m_scan.beforeSteps = std::make_shared<const Acquisition>(stored);
    }
    [[nodiscard]] JobPlan planFor(Index deviceBytes) {
        m_request.deviceMemoryBytes = deviceBytes;
        return planJob({m_scan, m_request, m_machine, m_facts});
    }

    test::FakeGpuRates m_rates;
    Machine m_machine;
    Acquisition m_scan = test::acquisitionOf(101, 67);
    ReconstructionRequest m_request;
    Facts m_facts;
};

TEST_F(StepsPlan, ADeviceCorrectsWhereItHasRoomAndHoldsTheViewsWhereTheyFit) {
    const Index views = 90 * 67 * 101 * Index{sizeof(float)};
    const Index slice = m_request.volume.voxels[0] * m_request.volume.voxels[1] * 4;
    const JobPlan held = planFor(kWorkBytes + views + 500 * slice);
    EXPECT_TRUE(held.areStepsOnDevice);
    EXPECT_TRUE(held.areViewsHeldThere);
    const JobPlan streamed = planFor(kWorkBytes + views + slice);
    EXPECT_TRUE(streamed.areStepsOnDevice);
    EXPECT_FALSE(streamed.areViewsHeldThere);
    const JobPlan onCpu = planFor(kWorkBytes);
    EXPECT_FALSE(onCpu.areStepsOnDevice);
    m_request.filterOn = FilterOn::cpu;
    EXPECT_FALSE(planFor(0).areStepsOnDevice);
}

TEST_F(StepsPlan, EveryAmountOfDeviceMemoryGivesAPlanWithinIt) {
    const Index slice = m_request.volume.voxels[0] * m_request.volume.voxels[1] * 4;
    for (Index bytes = 4 * slice; bytes < 3 * kWorkBytes; bytes = bytes * 11 / 10) {
        const JobPlan plan = planFor(bytes);
        EXPECT_LE(plan.devices.front().bytes, bytes);
        for (const PassPlan& pass : plan.passes)
            EXPECT_FALSE(pass.assignments.empty());
    }
}

TEST_F(StepsPlan, ARolledDetectorIsResampledOnTheDevice) {
    m_scan = test::acquisitionOf(101, 67, PixelType::uint16, 2);
    m_scan.calibration = std::make_shared<DetectorCalibration>();
    EXPECT_TRUE(planFor(0).areRowsResampledThere);
    EXPECT_FALSE(planFor(kWorkBytes).areRowsResampledThere);
}

}  // namespace
}  // namespace gantry
