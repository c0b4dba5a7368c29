#include "core/machine/measure.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/plan/plan_forecast.h"
#include "core/scan/corrected_scan.h"
#include "tests/support/cpu_device.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

class MeasureTest : public testing::Test {
  protected:
    void SetUp() override {
        const ScanFile file = test::simulated(test::smallScan(24, 48, 40, 410), m_folder / "scan");
        m_scan.emplace(openScan(file));
        m_spec = test::jobOf(file, 40, m_folder / "v.mha");
    }
    void learnIt(Purpose purpose, const std::stop_token& stop = {}) {
        learn(m_facts, *m_scan, m_spec, sinkNeedsOf(m_spec), machineOf(m_backends), m_backends,
              purpose, {}, stop);
    }
    // The answer of that kind; null where there is none.
    template <class Kind>
    const Kind* answer() const {
        for (const Facts::Fact& fact : m_facts.all())
            if (const auto* found = std::get_if<Kind>(&fact.answer)) return found;
        return nullptr;
    }

    test::TemporaryFolder m_folder;
    std::optional<OpenScan> m_scan;
    JobSpec m_spec;
    Backends m_backends = test::backends();
    Facts m_facts;
};

TEST_F(MeasureTest, AForecastOnTheCpuNeedsEveryStage) {
    learnIt(Purpose::forecast);
    EXPECT_EQ(m_facts.all().size(), 3U);
    ASSERT_TRUE(answer<HostRates>());
    EXPECT_GT(answer<HostRates>()->loadBytes, 0);
    EXPECT_GT(answer<HostRates>()->preparePixels, 0);
    EXPECT_GT(answer<HostRates>()->filterPixels, 0);
    ASSERT_TRUE(answer<KernelFacts>());
    EXPECT_EQ(answer<KernelFacts>()->choice.kernel.name, "columns");
    EXPECT_GT(answer<StorageRate>()->bytes, 0);
    const Machine machine = machineOf(m_backends);
    const PlanInputs inputs = {*m_scan, m_spec, machine, m_facts, sinkNeedsOf(m_spec)};
    const Forecast seconds = forecast(inputs, planJob(inputs));
    const double updates = static_cast<double>(m_spec.volume.count() * 24);
    EXPECT_DOUBLE_EQ(seconds.backproject, updates / answer<KernelFacts>()->choice.updatesPerSecond);
    EXPECT_GE(seconds.wall, seconds.backproject);
    // Only the scan is left there.
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(m_folder.path()), {}), 1);
}

TEST_F(MeasureTest, CorrectionsOfTheViewsAreForecastToo) {
    m_spec.corrections.zingers.ratio = 1.5;
    m_spec.corrections.rings.method = RingMethod::sorting;
    m_scan.emplace(corrected(*m_scan, m_spec.corrections));
    learnIt(Purpose::forecast);
    ASSERT_TRUE(answer<HostRates>());
    const double rate = answer<HostRates>()->correctPixels;
    EXPECT_GT(rate, 1e3);
    EXPECT_LT(rate, 1e12);
    const Machine machine = machineOf(m_backends);
    const PlanInputs inputs = {*m_scan, m_spec, machine, m_facts, sinkNeedsOf(m_spec)};
    const Forecast seconds = forecast(inputs, planJob(inputs));
    // The rate counts the pixels that are prepared.
    EXPECT_DOUBLE_EQ(seconds.correct * rate, seconds.prepare * answer<HostRates>()->preparePixels);
    // Rings show in all views together: nothing is filtered before they are out.
    EXPECT_GE(seconds.wall, seconds.load + seconds.correct + seconds.filter + seconds.backproject);
}

// What was measured took a time that a machine can have: none moves 10^12 bytes or pixels a second.
TEST_F(MeasureTest, RatesAreThoseOfAMachine) {
    learnIt(Purpose::forecast);
    ASSERT_TRUE(answer<HostRates>() && answer<StorageRate>());
    const HostRates& host = *answer<HostRates>();
    for (const double rate :
         {host.loadBytes, host.preparePixels, host.filterPixels, answer<StorageRate>()->bytes}) {
        EXPECT_GT(rate, 1e3);
        EXPECT_LT(rate, 1e12);
    }
}

// A source of nine megapixels a view that notes which views are read.
class NotedSource final : public ProjectionSource {
  public:
    NotedSource() {
        m_info.views = 5;
        m_info.rows = 2990;
        m_info.columns = 3010;
        m_info.pixelType = PixelType::uint8;
    }
    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    void readRows(Index view, IndexRange rows, std::span<std::byte>) const override {
        EXPECT_EQ(rows.size(), m_info.rows);
        m_read.push_back(view);
    }
    [[nodiscard]] std::string viewName(Index) const override { return "view"; }
    [[nodiscard]] const std::vector<Index>& read() const { return m_read; }

  private:
    SourceInfo m_info;
    mutable std::vector<Index> m_read;
};

TEST_F(MeasureTest, OfLargeViewsOneIsEnough) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 300;
    geometry.cone().sourceToDetectorMm = 470;
    geometry.cone().views = 5;
    geometry.detector = {.columns = 3010, .rows = 2990, .pitchMm = {0.05, 0.04}};
    const auto source = std::make_shared<NotedSource>();
    const OpenScan scan = openScan(geometry, source);
    Question question;
    question.about = Question::About::host;
    question.hostTakes = ViewState::stored;
    question.batchViews = 4;
    (void)measure({question}, scan, m_spec, m_backends, {});
    EXPECT_EQ(source->read(), std::vector<Index>{0});
}

TEST_F(MeasureTest, ARunOnTheCpuNeedsNothing) {
    learnIt(Purpose::run);
    EXPECT_TRUE(m_facts.all().empty());
}

TEST_F(MeasureTest, StopsWhenAskedTo) {
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(learnIt(Purpose::forecast, stop.get_token()), Cancelled);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(m_folder.path()), {}), 1);
}

TEST_F(MeasureTest, APlaceThatCannotBeWrittenIsNamed) {
    m_spec.output.path = m_folder / "absent" / "v.mha";
    EXPECT_ERROR(learnIt(Purpose::forecast), InputError, "absent");
}

TEST_F(MeasureTest, ADeviceThatFailsIsAnAnswer) {
    test::CpuDeviceLog log;
    m_backends.gpu = test::cpuDevices({{1e12}, {2e12}, {3e12}}, log);
    const auto choose = m_backends.gpu.chooseKernel;
    m_backends.gpu.chooseKernel = [choose](int device, const DeviceJob& job, bool fast) {
        if (device == 0) throw ResourceError("GPU 0 is busy", {.code = ErrorCode::deviceMemory});
        return choose(device, job, fast);
    };
    m_backends.gpu.whyNoFilter = [](int device) -> std::string {
        if (device == 2) throw ResourceError("GPU 2 is lost");
        return "no cuFFT";
    };
    learnIt(Purpose::run);
    ASSERT_EQ(m_facts.all().size(), 3U);
    const auto* busy = std::get_if<DeviceFailure>(&m_facts.all()[0].answer);
    ASSERT_TRUE(busy);
    EXPECT_EQ(busy->message, "GPU 0 is busy");
    EXPECT_EQ(busy->details.code, ErrorCode::deviceMemory);
    const auto* sound = std::get_if<KernelFacts>(&m_facts.all()[1].answer);
    ASSERT_TRUE(sound);
    EXPECT_EQ(sound->choice.updatesPerSecond, 2e12);
    EXPECT_EQ(sound->whyNoFilter, "no cuFFT");
    const auto* lost = std::get_if<DeviceFailure>(&m_facts.all()[2].answer);
    ASSERT_TRUE(lost);
    EXPECT_EQ(lost->message, "GPU 2 is lost");
}

TEST_F(MeasureTest, TheMachineIsReadAsItIs) {
    const Machine machine = machineOf(m_backends);
    EXPECT_GE(machine.threads, 1);
    EXPECT_GT(machine.freeBytes, 1'000'000);
    EXPECT_EQ(machine.whyNoGpu, "this test has none");
    EXPECT_EQ(machine.cpu.devices.front().name, "CPU");
    EXPECT_TRUE(machine.gpu.devices.empty());
}

}  // namespace
}  // namespace gantry
