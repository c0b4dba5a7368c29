#include "core/machine/run_times.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/machine/measure.h"
#include "core/plan/plan_forecast.h"
#include "core/scan/corrected_scan.h"
#include "core/work/volume_store.h"
#include "tests/support/cpu_device.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

TimelineSpan spanOf(Stage stage, const std::string& lane, double begin, double end,
                    Index bytes = 0) {
    TimelineSpan span;
    span.stage = stage;
    span.lane = lane;
    span.beginNs = static_cast<std::int64_t>(1e9 * begin);
    span.endNs = static_cast<std::int64_t>(1e9 * end);
    span.bytes = bytes;
    return span;
}

TEST(RunTimes, AreOfDevicesTogether) {
    const test::TemporaryFolder folder;
    const auto file = folder / "cache" / "runs.json";
    RunTimes(file).keepBeside({"A"}, 0.25);
    RunTimes(file).keepBeside({"A", "A"}, 0.75);
    RunTimes(file).keepRate(Stage::prepare, "64 columns", 5e8);
    EXPECT_EQ(RunTimes(file).besideSeconds({"A"}), 0.25);
    EXPECT_EQ(RunTimes(file).besideSeconds({"A", "A"}), 0.75);
    EXPECT_FALSE(RunTimes(file).besideSeconds({"B"}));
    EXPECT_EQ(RunTimes(file).rateOf(Stage::prepare, "64 columns"), 5e8);
    EXPECT_FALSE(RunTimes(file).rateOf(Stage::prepare, "65 columns"));
    RunTimes(file).keepRate(Stage::load, "64 columns", 3e9);
    EXPECT_EQ(RunTimes(file).rateOf(Stage::load, "64 columns"), 3e9);
    EXPECT_EQ(RunTimes(file).rateOf(Stage::prepare, "64 columns"), 5e8) << "is another thing";
    EXPECT_FALSE(RunTimes(file).rateOf(Stage::load, "65 columns"));
    RunTimes(file).keepRate(Stage::correct, "64 columns", 2e7);
    EXPECT_EQ(RunTimes(file).rateOf(Stage::correct, "64 columns"), 2e7);
    EXPECT_EQ(RunTimes(file).rateOf(Stage::prepare, "64 columns"), 5e8);
    EXPECT_FALSE(RunTimes({}).besideSeconds({"A"}));
}

TEST(RunTimes, OneRunThatWasHeldUpIsNoMeasure) {
    const test::TemporaryFolder folder;
    const RunTimes times(folder / "runs.json");
    const auto after = [&](double seconds) {
        times.keepBeside({"A", "A"}, seconds);
        return times.besideSeconds({"A", "A"});
    };
    EXPECT_EQ(after(0.9), 0.9) << "nothing else is known";
    EXPECT_EQ(after(0.5), 0.5) << "the first started the GPUs from cold";
    EXPECT_EQ(after(0.7), 0.7);
    EXPECT_EQ(after(0.6), 0.6);
    EXPECT_EQ(after(3.0), 0.7) << "something else held it up";
    EXPECT_EQ(after(2.0), 2.0) << "it is slower now";
}

class RunTimesOfJobs : public testing::Test {
  protected:
    RunTimesOfJobs() {
        m_backends.gpu = test::cpuDevices({{1e12}, {1e12}}, m_log);
        m_backends.runTimes = m_folder / "runs.json";
        m_scan.emplace(openScan(m_file));
        m_spec.engine = Engine::gpu;
    }
    [[nodiscard]] PlannedRun learned() {
        return learnAndPlan(*m_scan, m_spec, m_backends, m_sink, Purpose::forecast);
    }
    // Two devices work side by side from 1.5 to 3.5 s; half a second passes after the last slice.
    [[nodiscard]] std::vector<TimelineSpan> run() const {
        const Index bytes = m_spec.volume.count() * Index{sizeof(float)};
        return {spanOf(Stage::load, "load", 0, 1),
                spanOf(Stage::prepare, "prepare", 0, 2),
                spanOf(Stage::backproject, "GPU 0", 1.5, 3.5),
                spanOf(Stage::backproject, "GPU 1", 1.5, 3.5),
                spanOf(Stage::download, "GPU 0 download", 3.5, 3.6),
                spanOf(Stage::download, "GPU 1 download", 3.5, 3.6),
                spanOf(Stage::store, "store 1", 3.5, 4.5, bytes),
                spanOf(Stage::store, "store 1", 4.9, 5)};
    }

    test::TemporaryFolder m_folder;
    test::CpuDeviceLog m_log;
    Backends m_backends = test::backends();
    ScanFile m_file = test::simulated(test::smallScan(24, 48, 40, 410), m_folder / "scan");
    JobSpec m_spec = test::jobOf(m_file, 60, m_folder / "v.mha");
    SinkNeeds m_sink = sinkNeedsOf(m_spec);
    std::optional<OpenScan> m_scan;
};

TEST_F(RunTimesOfJobs, RatesAreWhatWasDoneOverHowLongItTook) {
    const PlannedRun planned = learned();
    const Machine machine = machineOf(m_backends);
    const PlanInputs inputs = {*m_scan, m_spec, machine, planned.facts, m_sink};
    const MachineRates rates = reachedRates(inputs, planned.plan, run());
    // A forecast by these rates has the seconds of the run.
    const Forecast again =
        forecast(workOnDevices(inputs, planned.plan), planned.plan.handedOver, rates);
    EXPECT_DOUBLE_EQ(again.load, 1);
    EXPECT_DOUBLE_EQ(again.backproject, 2);
    EXPECT_DOUBLE_EQ(again.download, 0.1);
    EXPECT_NEAR(again.store, 1.1, 1e-9);
    EXPECT_EQ(rates.filterPixels, 0);
}

TEST_F(RunTimesOfJobs, TheNextForecastHasWhatTheLastRunTookBesideItsOwn) {
    const PlannedRun planned = learned();
    const Machine machine = machineOf(m_backends);
    keepRunTimes(planned, *m_scan, m_spec, m_sink, run(), 5.25, m_backends);
    const PlanInputs inputs = {*m_scan, m_spec, machine, planned.facts, m_sink};
    const MachineRates rates = reachedRates(inputs, planned.plan, run());
    const double counted =
        forecast(workOnDevices(inputs, planned.plan), planned.plan.handedOver, rates).wall;
    const PlannedRun next = learned();
    const PlanInputs known = {*m_scan, m_spec, machine, next.facts, m_sink};
    EXPECT_NEAR(forecast(known, next.plan).wall - knownWall(known, next.plan), 5.25 - counted,
                1e-6);
}

// The run above has loaded for a second, and prepared for two.
TEST_F(RunTimesOfJobs, TheNextForecastLoadsAndPreparesAsFastAsTheLastRun) {
    m_file.geometry.detector.rollDeg = 2;  // so that the CPU prepares for the devices
    m_scan.emplace(openScan(m_file, {}, BadViews::refuse, FilterRows::upright));
    const PlannedRun planned = learned();
    ASSERT_EQ(planned.plan.handedOver, ViewState::prepared);
    const Machine machine = machineOf(m_backends);
    keepRunTimes(planned, *m_scan, m_spec, m_sink, run(), 5.25, m_backends);
    const PlannedRun next = learned();
    const PlanInputs known = {*m_scan, m_spec, machine, next.facts, m_sink};
    EXPECT_NEAR(forecast(known, next.plan).load, 1, 1e-9);
    EXPECT_NEAR(forecast(known, next.plan).prepare, 2, 1e-9);
}

// Corrections are taken off by the thread that loads, here for half a second.
TEST_F(RunTimesOfJobs, TheNextForecastCorrectsAsFastAsTheLastRunDidTheSame) {
    m_spec.filterOn = FilterOn::gpu;
    m_spec.corrections.rings.method = RingMethod::sorting;
    const OpenScan stored = *m_scan;
    m_scan.emplace(corrected(stored, m_spec.corrections));
    std::vector<TimelineSpan> spans = run();
    spans.push_back(spanOf(Stage::correct, "load", 1, 1.5));
    const PlannedRun planned = learned();
    const Machine machine = machineOf(m_backends);
    keepRunTimes(planned, *m_scan, m_spec, m_sink, spans, 6, m_backends);
    const auto predicted = [&] {
        const PlannedRun next = learned();
        return forecast(PlanInputs{*m_scan, m_spec, machine, next.facts, m_sink}, next.plan);
    };
    const Forecast again = predicted();
    EXPECT_NEAR(again.load, 1, 1e-9);
    EXPECT_NEAR(again.correct, 0.5, 1e-9);
    m_spec.corrections.rings.widthPx = 5;
    m_scan.emplace(corrected(stored, m_spec.corrections));
    EXPECT_GT(std::abs(predicted().correct - 0.5), 1e-6) << "is another work, and measured";
}

TEST_F(RunTimesOfJobs, WhatTheLastRunToldIsNotMeasuredAgain) {
    m_spec.filterOn = FilterOn::gpu;  // so that nothing is to be measured of the CPU's filter
    const PlannedRun planned = learned();
    keepRunTimes(planned, *m_scan, m_spec, m_sink, run(), 5.25, m_backends);
    for (const std::filesystem::path& file : m_scan->files)
        std::filesystem::resize_file(file, 0);
    EXPECT_NO_THROW((void)learned()) << "views were read";
    m_backends.runTimes = m_folder / "none.json";
    EXPECT_THROW((void)learned(), Error);
}

}  // namespace
}  // namespace gantry
