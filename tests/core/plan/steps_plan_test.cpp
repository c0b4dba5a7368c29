#include <gtest/gtest.h>

#include <memory>

#include "core/plan/job_plan.h"
#include "core/plan/plan_forecast.h"
#include "core/plan/questions.h"
#include "core/plan/step_devices.h"
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

    void correct(const RingSpec& rings) { correct(Corrections{.rings = rings}); }
    void correct(const Corrections& corrections) {
        Acquisition stored = test::acquisitionOf(101, 67);
        stored.calibration = std::make_shared<DetectorCalibration>();
        m_scan = stored;
        m_scan.corrections = corrections;
        m_scan.beforeSteps = std::make_shared<const Acquisition>(stored);
    }
    [[nodiscard]] JobPlan planFor(Index deviceBytes) {
        m_request.deviceMemoryBytes = deviceBytes;
        return planJob({m_scan, m_request, m_machine, m_facts});
    }

    void takeTwoDevices() {
        const auto stepsBytes = m_machine.gpu.viewStepsBytes;
        m_machine.gpu = test::fakeGpus(2, 80'000'000'000, m_rates).info;
        m_machine.gpu.viewStepsBytes = stepsBytes;
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

TEST_F(StepsPlan, DevicesShareStepsAndEachHasTheirMemory) {
    takeTwoDevices();
    correct({.zingers = {.ratio = 1.2}});
    const JobPlan shared = planFor(0);
    ASSERT_EQ(shared.devices.size(), 2U);
    EXPECT_EQ(correctingDevices(shared), 2);
    EXPECT_GT(shared.devices[1].bytes, kWorkBytes);
    // The first holds all views where it has room.
    correct({.method = RingMethod::smoothedMean});
    const JobPlan held = planFor(0);
    ASSERT_TRUE(held.areViewsHeldThere);
    EXPECT_EQ(correctingDevices(held), 1);
    EXPECT_GT(held.devices[0].bytes, kWorkBytes);
    EXPECT_LT(held.devices[1].bytes, kWorkBytes);
    const Index views = 90 * 67 * 101 * Index{sizeof(float)};
    const JobPlan streamed = planFor(kWorkBytes + views);
    EXPECT_TRUE(streamed.areStepsOnDevice);
    EXPECT_FALSE(streamed.areViewsHeldThere);
    EXPECT_EQ(correctingDevices(streamed), 2);
    EXPECT_GT(streamed.devices[1].bytes, kWorkBytes);
    m_request.filterOn = FilterOn::cpu;
    EXPECT_EQ(correctingDevices(planFor(0)), 0);
}

// What is measured is the rate of one device.
TEST_F(StepsPlan, DevicesThatShareStepsAreForecastToBeFasterTogether) {
    takeTwoDevices();
    const auto ratesWith = [&](Index deviceBytes) {
        const JobPlan plan = planFor(deviceBytes);
        const PlanInputs inputs = {m_scan, m_request, m_machine, m_facts};
        Facts facts;
        facts.add(hostQuestion(inputs, plan), HostRates{1e9, 2e8, 1e8, 3e7});
        return ratesOf({m_scan, m_request, m_machine, facts}, plan);
    };
    correct({.zingers = {.ratio = 1.2}});
    EXPECT_EQ(ratesWith(0).correctPixels, 6e7);
    EXPECT_EQ(ratesWith(0).preparePixels, 2e8);
    correct({.method = RingMethod::smoothedMean});
    EXPECT_EQ(ratesWith(0).correctPixels, 3e7);  // the first device holds all views
    m_request.filterOn = FilterOn::cpu;
    EXPECT_EQ(ratesWith(0).correctPixels, 3e7);
    m_request.filterOn = FilterOn::automatic;
    m_scan = test::acquisitionOf(101, 67, PixelType::uint16, 2);
    m_scan.calibration = std::make_shared<DetectorCalibration>();
    EXPECT_EQ(ratesWith(0).preparePixels, 4e8);
}

TEST_F(StepsPlan, EveryAmountOfDeviceMemoryGivesTwoDevicesAPlanWithinIt) {
    takeTwoDevices();
    const Index slice = m_request.volume.voxels[0] * m_request.volume.voxels[1] * 4;
    for (const Corrections& corrections :
         {Corrections{.zingers = {.ratio = 1.2}},
          Corrections{.rings = {.method = RingMethod::smoothedMean}}}) {
        correct(corrections);
        for (Index bytes = 4 * slice; bytes < 3 * kWorkBytes; bytes = bytes * 11 / 10)
            for (const DevicePlan& device : planFor(bytes).devices)
                EXPECT_LE(device.bytes, bytes);
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
