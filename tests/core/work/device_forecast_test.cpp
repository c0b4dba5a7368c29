#include <gtest/gtest.h>

#include <algorithm>

#include "core/engine/problem_class.h"
#include "core/job/event_log.h"
#include "core/job/forecast_file.h"
#include "core/plan/plan_forecast.h"
#include "core/work/job_forecast.h"
#include "tests/support/cpu_device.h"
#include "tests/support/expect_error.h"
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
    // By what the fake devices do, and a host that loads 1 GB, prepares 200 million pixels, filters
    // 100 million and stores 500 MB a second.
    [[nodiscard]] JobForecast predicted() {
        const Machine machine = machineOf(m_backends);
        const SinkNeeds sink = sinkNeedsOf(m_spec);
        Facts facts;
        const PlanInputs inputs = {*m_scan, m_spec, machine, facts, sink};
        while (true) {
            const std::vector<Question> open = questions(inputs, Purpose::forecast);
            if (open.empty()) return forecastJob(*m_scan, m_spec, machine, facts);
            for (const Question& question : open)
                facts.add(question, answer(question));
        }
    }
    [[nodiscard]] Answer answer(const Question& question) {
        m_asked.push_back(question);
        switch (question.about) {
            case Question::About::kernel:
                return KernelFacts{
                    test::testGpuChoice(question.kernel, question.fast, m_fake.each.updates),
                    m_fake.whyNoFilter};
            case Question::About::device:
                return m_fake.each;
            case Question::About::host:
                return HostRates{1e9, 2e8, 1e8};
            case Question::About::storage:
                break;
        }
        return StorageRate{5e8};
    }
    [[nodiscard]] Index asked(Question::About about) const {
        return std::count_if(m_asked.begin(), m_asked.end(),
                             [about](const Question& question) { return question.about == about; });
    }
    [[nodiscard]] JobPlan runs() { return test::plannedJob(*m_scan, m_spec, m_backends); }
    [[nodiscard]] double updates() const { return static_cast<double>(m_spec.volume.count() * 24); }

    test::TemporaryFolder m_folder;
    std::optional<OpenScan> m_scan;
    JobSpec m_spec;
    Backends m_backends = test::backends();
    FakeGpuRates m_fake;
    std::vector<Question> m_asked;
};

TEST_F(JobForecastDevicesTest, OneDeviceIsPredictedByItsRates) {
    useGpus(1);
    const JobForecast result = predicted();
    EXPECT_EQ(engineName(result.plan), "Fake 100 (tile, exact)");
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
    m_spec.gpuKernel = "standard";  // makes any number of slices, not layers of them
    for (const int count : {1, 2, 4}) {
        useGpus(count);
        const JobForecast result = predicted();
        ASSERT_EQ(result.plan.devices.size(), static_cast<std::size_t>(count));
        // Slices are assigned as evenly as 64 of them can be.
        EXPECT_NEAR(result.seconds.backproject * count * m_fake.each.updates, updates(),
                    0.07 * updates());
        EXPECT_DOUBLE_EQ(laneSecondsOf(result.seconds, Stage::backproject),
                         count * result.seconds.backproject);
        EXPECT_EQ(laneSecondsOf(result.seconds, Stage::store), result.seconds.store);
    }
}

TEST_F(JobForecastDevicesTest, LittleDeviceMemoryCostsPassesOverTheViews) {
    m_spec.gpuKernel = "standard";  // makes any number of slices, not layers of them
    useGpus(2);
    const Forecast roomy = predicted().seconds;
    m_spec.deviceMemoryBytes = 14 * 64 * 64 * Index{sizeof(float)};
    const JobForecast tight = predicted();
    EXPECT_GT(tight.plan.passes.size(), 3U);
    EXPECT_GT(tight.seconds.load, roomy.load);
    EXPECT_GT(tight.seconds.upload, roomy.upload);
    EXPECT_NEAR(tight.seconds.backproject, roomy.backproject, 0.2 * roomy.backproject);
    m_spec.gpuKernel = kAnyKernel;
    m_spec.deviceMemoryBytes = 1000;
    EXPECT_EQ(engineName(predicted().plan), "CPU, kernel columns");
    m_spec.engine = Engine::gpu;
    EXPECT_ERROR((void)predicted(), ResourceError, "--device-memory");
}

TEST_F(JobForecastDevicesTest, TheFastKernelIsNamed) {
    useGpus(2);
    m_spec.fast = true;
    EXPECT_EQ(engineName(predicted().plan), "2 × Fake 100 (mirror-texture, fast)");
}

TEST_F(JobForecastDevicesTest, EachDeviceIsAskedAndPredictedByItsOwnRates) {
    useGpus(2);
    const JobForecast result = predicted();
    EXPECT_TRUE(result.isComplete());
    EXPECT_EQ(asked(Question::About::kernel), 2);
    EXPECT_EQ(asked(Question::About::device), 2);
    EXPECT_EQ(asked(Question::About::host), 1);
    EXPECT_EQ(asked(Question::About::storage), 1);
    ASSERT_EQ(result.rates.devices.size(), 2U);
    EXPECT_EQ(result.rates.devices[1].device, 1);
    EXPECT_EQ(result.rates.devices[1].updates, m_fake.each.updates);
    EXPECT_EQ(result.rates.updates, 0);
    // What the CPU does not do is not asked.
    m_spec.filterOn = FilterOn::gpu;
    m_asked.clear();
    (void)predicted();
    const auto host = std::find_if(m_asked.begin(), m_asked.end(), [](const Question& question) {
        return question.about == Question::About::host;
    });
    ASSERT_NE(host, m_asked.end());
    EXPECT_EQ(host->hostTakes, ViewState::stored);
    m_spec.devices = {1};
    EXPECT_EQ(predicted().rates.devices.size(), 1U);
}

TEST_F(JobForecastDevicesTest, DevicesAreMeasuredWhereTheyAreUsed) {
    useGpus(2);
    Facts facts;
    learn(facts, *m_scan, m_spec, sinkNeedsOf(m_spec), machineOf(m_backends), m_backends,
          Purpose::forecast, {}, {});
    EXPECT_EQ(m_fake.measured, 2);
    EXPECT_EQ(m_fake.tried, 2);
    const JobForecast result = forecastJob(*m_scan, m_spec, machineOf(m_backends), facts);
    EXPECT_GT(result.rates.filterPixels, 0);
    EXPECT_GT(result.rates.loadBytes, 0);
    EXPECT_GT(result.rates.storeBytes, 0);
    EXPECT_GT(result.seconds.wall, 0);
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
    EXPECT_EQ(runs().handedOver, ViewState::filtered);
    EXPECT_EQ(m_fake.measured, 1);
    m_spec.filterOn = FilterOn::gpu;
    EXPECT_EQ(predicted().plan.handedOver, ViewState::stored);
    EXPECT_EQ(runs().handedOver, ViewState::stored);
    EXPECT_EQ(m_fake.measured, 1);
    // A run of 3 s is not measured for it.
    m_spec.filterOn = FilterOn::automatic;
    m_fake.each.updates = updates() / 3;
    EXPECT_EQ(runs().handedOver, ViewState::stored);
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
    const Machine machine = machineOf(m_backends);
    const SinkNeeds sink = sinkNeedsOf(m_spec);
    Facts facts;
    learn(facts, *m_scan, m_spec, sink, machine, m_backends, Purpose::run, {}, {});
    const PlanInputs inputs = {*m_scan, m_spec, machine, facts, sink};
    const Forecast result = forecast(inputs, planJob(inputs));
    EXPECT_EQ(result.backproject, predicted().seconds.backproject);
    EXPECT_EQ(result.load, 0);
    EXPECT_EQ(result.wall, 0);
    EXPECT_EQ(result.boundingStage, "");
    EXPECT_EQ(m_fake.measured, 0);
}

TEST_F(JobForecastDevicesTest, ARunKeepsItsPlanAndWhatItPredicts) {
    test::CpuDeviceLog log;
    m_backends.gpu = test::cpuDevices({{1e9}, {2e9}}, log);
    (void)test::runWith(m_backends, m_spec);
    const std::filesystem::path job = jobFolderFor(m_spec.output.path);
    EXPECT_TRUE(std::filesystem::exists(job / "plan.json"));
    ASSERT_TRUE(readForecast(job));
    EXPECT_GT(readForecast(job)->backproject, 0);
    EXPECT_EQ(readForecast(job)->wall, 0);
    // One that was measured before is better, and stays.
    {
        const JobDirectory again = JobDirectory::create(job, m_spec);
        writeForecast(again.folder(), predicted().seconds);
        (void)runJob(again, {m_backends, {}, {}});
    }
    EXPECT_GT(readForecast(job)->wall, 0);
    // Where a forecast is asked for, the run measures itself, once.
    {
        const JobDirectory again = JobDirectory::create(job, m_spec);
        (void)runJob(again, {m_backends, {}, {}, Purpose::forecast});
    }
    EXPECT_GT(readForecast(job)->wall, 0);
    EXPECT_GT(readForecast(job)->load, 0);
}

TEST_F(JobForecastDevicesTest, ARunTellsHowFastItsKernelsWere) {
    struct Kept {
        int device;
        std::string problem;
        KernelChoice found;
    };
    std::vector<Kept> kept;
    test::CpuDeviceLog log;
    m_backends.gpu = test::cpuDevices({{1e9}, {2e9}}, log);
    m_backends.gpu.keepSpeed = [&](int device, const DeviceJob& job, bool fast,
                                   const KernelChoice& found) {
        kept.push_back({device, problemClass(job, fast), found});
    };
    m_spec = test::jobOf(m_spec.scan, 256, m_folder / "volume.mha");
    const JobResult result = test::runWith(m_backends, m_spec);
    ASSERT_EQ(kept.size(), 2U);
    const StageTotal& all = result.timeline.stages[static_cast<std::size_t>(Stage::backproject)];
    double updates = 0;
    for (const Kept& one : kept) {
        EXPECT_EQ(one.found.kernel.name, test::testGpuChoice("", false, 1).kernel.name);
        EXPECT_EQ(one.problem, kept.front().problem);
        updates += one.found.updatesPerSecond;
    }
    EXPECT_NE(kept[0].device, kept[1].device);
    // Both together: the slower one's time is at least half of all.
    EXPECT_GE(updates, static_cast<double>(all.updates) / all.seconds);
}

TEST_F(JobForecastDevicesTest, ARunThatCannotTellHowFastItWasIsDoneAllTheSame) {
    test::CpuDeviceLog log;
    m_backends.gpu = test::cpuDevices({{1e9}}, log);
    m_backends.gpu.keepSpeed = [](int, const DeviceJob&, bool, const KernelChoice&) {
        throw ResourceError("the cache is broken");
    };
    m_spec = test::jobOf(m_spec.scan, 256, m_folder / "volume.mha");
    (void)test::runWith(m_backends, m_spec);
    const JobEvents events = readEvents(jobFolderFor(m_spec.output.path) / "events.jsonl");
    EXPECT_EQ(events.state, JobState::done);
    const std::string warning =
        "warning: How fast this run was is not kept for later forecasts: the cache is broken.";
    EXPECT_EQ(std::count(events.logs.begin(), events.logs.end(), warning), 1);
    EXPECT_TRUE(std::filesystem::exists(m_spec.output.path));
}

TEST_F(JobForecastDevicesTest, ARunThatKnowsNoSecondsBeforehandKeepsNone) {
    m_spec.engine = Engine::cpu;  // whose kernel is not tried without need
    (void)test::runWith(m_backends, m_spec);
    EXPECT_FALSE(readForecast(jobFolderFor(m_spec.output.path)));
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
