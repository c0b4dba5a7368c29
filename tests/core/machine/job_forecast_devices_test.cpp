#include <gtest/gtest.h>

#include <algorithm>

#include "core/job/forecast_file.h"
#include "core/machine/job_forecast.h"
#include "core/work/keep_trials.h"
#include "tests/support/expect_error.h"
#include "tests/support/fake_gpus.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using test::FakeGpuRates;

constexpr Index kPlenty = 1'000'000'000;

class JobForecastDevicesTest : public testing::Test {
  protected:
    void SetUp() override {
        const ScanFile file = test::simulated(test::smallScan(24, 48, 40, 410), m_folder / "scan");
        m_scan.emplace(openScan(file));
        m_spec = test::jobOf(file, 64, m_folder / "volume.mha");
    }

    void useGpus(int count, Index freeBytes = kPlenty) {
        m_backends.gpu = test::fakeGpus(count, freeBytes, m_fake);
    }
    [[nodiscard]] MachineRates rates() const {
        MachineRates all = {1e9, 2e8, 1e8, 0, 5e8};
        for (const DeviceFacts& device : m_backends.gpu.devices) {
            all.devices.push_back(m_fake.each);
            all.devices.back().device = device.number;
        }
        return all;
    }
    [[nodiscard]] JobForecast predicted() const {
        return forecast(*m_scan, m_spec, m_backends, rates(), {});
    }
    [[nodiscard]] double updates() const { return static_cast<double>(m_spec.volume.count() * 24); }

    test::TemporaryFolder m_folder;
    std::optional<OpenScan> m_scan;
    JobSpec m_spec;
    Backends m_backends = test::backends();
    FakeGpuRates m_fake;
};

TEST_F(JobForecastDevicesTest, OneDeviceIsPredictedByItsRates) {
    useGpus(1);
    const JobForecast result = predicted();
    EXPECT_EQ(result.engine, "Fake 100 (tile, exact)");
    EXPECT_EQ(result.seconds.devices, 1);
    EXPECT_TRUE(result.seconds.devicesFilter);
    EXPECT_EQ(result.plan.handedOver, ViewState::stored);
    EXPECT_DOUBLE_EQ(result.seconds.backproject, updates() / m_fake.each.updates);
    EXPECT_DOUBLE_EQ(result.seconds.download,
                     static_cast<double>(m_spec.volume.count()) * 4 / m_fake.each.downloadBytes);
    EXPECT_EQ(result.seconds.prepare, 0);
    // Stored as 16-bit integers.
    const Index rows = result.plan.slabs.front().rows.size();
    EXPECT_DOUBLE_EQ(result.seconds.upload,
                     static_cast<double>(24 * rows * 48) * 2 / m_fake.each.uploadBytes);
    EXPECT_EQ(m_fake.measured, 0);
}

TEST_F(JobForecastDevicesTest, DevicesShareTheWork) {
    for (const int count : {1, 2, 4}) {
        useGpus(count);
        const JobForecast result = predicted();
        ASSERT_EQ(result.plan.devices.size(), static_cast<std::size_t>(count));
        // As far as 64 slices can be dealt.
        EXPECT_NEAR(result.seconds.backproject * count * m_fake.each.updates, updates(),
                    0.07 * updates());
        EXPECT_DOUBLE_EQ(laneSecondsOf(result.seconds, Stage::backproject),
                         count * result.seconds.backproject);
        EXPECT_EQ(laneSecondsOf(result.seconds, Stage::store), result.seconds.store);
    }
}

TEST_F(JobForecastDevicesTest, LittleDeviceMemoryCostsPassesOverTheViews) {
    useGpus(2);
    const Forecast roomy = predicted().seconds;
    m_spec.deviceMemoryBytes = 14 * 64 * 64 * Index{sizeof(float)};
    const JobForecast tight = predicted();
    EXPECT_GT(passesOf(tight.plan).size(), 3U);
    EXPECT_GT(tight.seconds.load, roomy.load);
    EXPECT_GT(tight.seconds.upload, roomy.upload);
    EXPECT_NEAR(tight.seconds.backproject, roomy.backproject, 0.2 * roomy.backproject);
    m_spec.deviceMemoryBytes = 1000;
    EXPECT_EQ(predicted().engine, m_backends.cpuName);
    m_spec.engine = Engine::gpu;
    EXPECT_ERROR((void)predicted(), ResourceError, "--device-memory");
}

TEST_F(JobForecastDevicesTest, TheFastKernelIsNamed) {
    useGpus(2);
    m_spec.fast = true;
    EXPECT_EQ(predicted().engine, "2 × Fake 100 (mirror-texture, fast)");
}

TEST_F(JobForecastDevicesTest, KernelsAreAsFastAsInTheJobsOwnTrial) {
    useGpus(2);
    MachineRates known = rates();
    // Measured in the other order, with a job that had another speed.
    std::swap(known.devices[0], known.devices[1]);
    known.devices[0].uploadBytes = 7e9;
    for (DeviceRates& device : known.devices)
        device.updates = 1;
    const JobForecast result = forecast(*m_scan, m_spec, m_backends, known, {});
    EXPECT_EQ(result.seconds.backproject, predicted().seconds.backproject);
    ASSERT_EQ(result.rates.devices.size(), 2U);
    EXPECT_EQ(result.rates.devices[0].uploadBytes, m_fake.each.uploadBytes);
    EXPECT_EQ(result.rates.devices[1].uploadBytes, 7e9);
    // What was measured of one device says nothing of another.
    known.devices[1].device = 5;
    EXPECT_TRUE(forecast(*m_scan, m_spec, m_backends, known, {}).rates.devices.empty());
    m_spec.devices = {1};
    EXPECT_EQ(forecast(*m_scan, m_spec, m_backends, known, {}).rates.devices.size(), 1U);
    EXPECT_EQ(m_fake.measured, 0);
}

TEST_F(JobForecastDevicesTest, DevicesAreMeasuredWhereTheyAreUsed) {
    useGpus(2);
    const JobForecast result = forecast(*m_scan, m_spec, m_backends, {}, {});
    EXPECT_EQ(m_fake.measured, 2);
    EXPECT_EQ(m_fake.handedOver, ViewState::stored);
    EXPECT_EQ(result.rates.devices[1].device, 1);
    EXPECT_EQ(result.rates.updates, 0);
    EXPECT_GT(result.rates.filterPixels, 0);
    EXPECT_GT(result.rates.loadBytes, 0);
    EXPECT_GT(result.rates.storeBytes, 0);
    EXPECT_GT(result.seconds.wall, 0);
    // What the CPU does not do is not measured.
    m_spec.filterOn = FilterOn::gpu;
    EXPECT_EQ(forecast(*m_scan, m_spec, m_backends, {}, {}).rates.filterPixels, 0);
    m_spec.engine = Engine::cpu;
    m_spec.filterOn = FilterOn::automatic;
    EXPECT_GT(forecast(*m_scan, m_spec, m_backends, {}, {}).rates.updates, 0);
    EXPECT_EQ(m_fake.measured, 4);
}

TEST_F(JobForecastDevicesTest, ALongRunFiltersWhereItIsFaster) {
    // 30 s of back-projection, and as much of the filter on the device; the CPU needs 9 s.
    useGpus(1);
    m_fake.each = {5e10, 5e10, 24 * 40 * 48 / 30.0, updates() / 30};
    const JobForecast result = predicted();
    EXPECT_EQ(result.plan.handedOver, ViewState::filtered);
    EXPECT_FALSE(result.seconds.devicesFilter);
    EXPECT_LT(result.seconds.wall, 40);
    // The run comes to the same, by what it measures itself.
    const auto runs = [&] { return planRun(*m_scan, m_spec, m_backends, {}, {}).handedOver; };
    EXPECT_EQ(runs(), ViewState::filtered);
    EXPECT_EQ(m_fake.measured, 1);
    m_spec.filterOn = FilterOn::gpu;
    EXPECT_EQ(predicted().plan.handedOver, ViewState::stored);
    EXPECT_EQ(runs(), ViewState::stored);
    EXPECT_EQ(m_fake.measured, 1);
    // A run of 3 s is not measured for it.
    m_spec.filterOn = FilterOn::automatic;
    m_fake.each.updates = updates() / 3;
    EXPECT_EQ(runs(), ViewState::stored);
    EXPECT_EQ(predicted().plan.handedOver, ViewState::stored);
    EXPECT_EQ(m_fake.measured, 1);
}

TEST_F(JobForecastDevicesTest, WithoutCufftTheCpuFilters) {
    useGpus(1);
    m_fake.whyNoFilter = "cuFFT is not installed";
    m_fake.each.filterPixels = 0;
    const JobForecast result = predicted();
    EXPECT_EQ(result.plan.handedOver, ViewState::filtered);
    EXPECT_GT(result.seconds.prepare, 0);
    m_spec.filterOn = FilterOn::gpu;
    EXPECT_ERROR((void)predicted(), InputError, "cuFFT is not installed");
}

TEST_F(JobForecastDevicesTest, TrialsPredictOnlyTheBackProjection) {
    useGpus(2);
    const JobPlan plan = planJob(*m_scan, m_spec, m_backends, {});
    const std::optional<Forecast> result = forecastOfTrials(*m_scan, m_spec, plan);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->backproject, predicted().seconds.backproject);
    EXPECT_EQ(result->load, 0);
    EXPECT_EQ(result->wall, 0);
    EXPECT_EQ(m_fake.measured, 0);
    // They are kept where nothing better is.
    keepTrials(m_folder.path(), *m_scan, m_spec, plan);
    ASSERT_TRUE(readForecast(m_folder.path()));
    EXPECT_EQ(readForecast(m_folder.path())->backproject, result->backproject);
    EXPECT_EQ(readForecast(m_folder.path())->boundingStage, "");
    writeForecast(m_folder.path(), predicted().seconds);
    keepTrials(m_folder.path(), *m_scan, m_spec, plan);
    EXPECT_GT(readForecast(m_folder.path())->wall, 0);
    m_spec.engine = Engine::cpu;
    EXPECT_FALSE(forecastOfTrials(*m_scan, m_spec, planJob(*m_scan, m_spec, m_backends, {})));
}

TEST_F(JobForecastDevicesTest, IsKeptInTheJobsFolder) {
    Forecast kept;
    kept.backproject = 3;
    kept.upload = 4.5;
    kept.download = 2;
    kept.wall = 9;
    kept.boundingStage = "load";
    kept.devices = 4;
    kept.devicesFilter = true;
    writeForecast(m_folder.path(), kept);
    const std::optional<Forecast> read = readForecast(m_folder.path());
    ASSERT_TRUE(read);
    for (const Stage stage : {Stage::backproject, Stage::upload, Stage::download, Stage::load})
        EXPECT_EQ(secondsOf(*read, stage), secondsOf(kept, stage)) << name(stage);
    EXPECT_EQ(read->boundingStage, "load");
    EXPECT_EQ(read->devices, 4);
    EXPECT_TRUE(read->devicesFilter);
}

}  // namespace
}  // namespace gantry
